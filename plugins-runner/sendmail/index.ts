import { randomBytes } from "node:crypto";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { domainToASCII } from "node:url";
import { defineRunner, type JsonObject, RunAborted, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { createBaseEnvironment, createLauncherAccess, createOutputResult, type ProcessEnd, toReturnCode } from "../_process/index.ts";
import { toSignalError } from "../_shell/index.ts";
import { type Attachment, readAttachments } from "./attachments.ts";

const parameters = {
	to: { type: "string", required: true, description: "Recipients, separated by commas." },
	subject: { type: "string", required: true, description: "Subject; one line." },
	body: { type: "string", required: true, description: "Body of the email." },
	from: { type: "string", default: "svc", description: "Sender." },
	send_empty_body: { type: "boolean", default: true, description: "True to send an email with an empty body." },
	content_type: { type: "string", default: "text/html", description: "Content type of the body." },
	attachments: {
		type: "string",
		default: "",
		description: "Absolute paths of files to attach, separated by commas; they must be in `mail.attachment_directories`.",
	},
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
} as const;

/** Sends mail with the machine's mail system. No shell is involved, and no parameter becomes an argument. */
export const sendmail = defineRunner("sendmail", () => {
	const access = createLauncherAccess();
	let settings = { sendmail_binary: "", attachment_directories: [] as readonly string[] };
	return {
		description: "Sends an email with the sendmail command of the local machine.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		async start(context) {
			settings = context.options.mail;
			access.start(context);
		},
		stop: access.stop,
		async run(context) {
			const { to, subject, body, from, content_type, send_empty_body, attachments } = context.runnerParameters;
			const mail = {
				to: toAddresses("to", assertOneLine("to", to)),
				from: toAddress("from", assertOneLine("from", from)),
				subject: assertOneLine("subject", subject),
				contentType: assertContentType(content_type),
				body,
				attachments: await readAttachments(attachments, settings.attachment_directories),
			};
			if (body === "" && !send_empty_body) {
				await context.emit("stdout", "the body is empty: no email was sent\n");
				return toResult(context, { code: 0, signal: null });
			}
			const end = await access.launcher.run({
				file: await findBinary(settings.sendmail_binary),
				// `-i`: a line with a single dot does not end the mail. `-t`: the recipients are read from the header.
				args: ["-i", "-t"],
				cwd: "/",
				env: { ...createBaseEnvironment(), ...toMark(context.environment) },
				stdin: createMail(mail),
				signal: context.signal,
				onStdout: (text) => context.emit("stdout", text),
				onStderr: (text) => context.emit("stderr", text),
			});
			return toResult(context, end);
		},
	};
});

/**
 * Returns the variable by which processes of the run are found. The mail system gets no other variables of the run, especially not the
 * token.
 */
function toMark({ SVC_ACTION_EXECUTION_ID: id }: Readonly<Record<string, string>>): Record<string, string> {
	return id === undefined ? {} : { SVC_ACTION_EXECUTION_ID: id };
}

function toResult({ signal, captured, runnerParameters }: RunContext<typeof parameters>, end: Omit<ProcessEnd, "pid">): RunResult {
	const timedOut = signal.reason instanceof RunAborted && signal.reason.kind === "timeout";
	const number = timedOut ? -9 : toReturnCode(end);
	const succeeded = number === 0 && !signal.aborted;
	const result: JsonObject = { failed: !succeeded, succeeded, return_code: number, ...createOutputResult((type) => captured(type)) };
	const late = timedOut ? `Action failed to complete in ${runnerParameters.timeout} seconds` : undefined;
	const error = late ?? (signal.aborted ? undefined : toSignalError(number));
	return { succeeded, result: error === undefined ? result : { ...result, error } };
}

/**
 * Returns the addresses of a list in header format, such as `ann@example.com, Bob <bob@example.com>`. The rules are stricter than the
 * standard. Mail systems treat an address that begins with `|`, `/`, `-` or `:` as a program, a file, an option or an address list.
 */
function toAddresses(field: string, text: string): string {
	const addresses = text.split(",").map((address) => address.trim());
	if (addresses.every((address) => address === "")) throw invalid(`${field} must contain an address`);
	// One line for each address, because the length of a line is limited.
	return addresses.map((address) => toAddress(field, address)).join(",\n ");
}

/** Returns one address in header format. */
function toAddress(field: string, text: string): string {
	const named = /^([^<>]*)<([^<>]*)>$/.exec(text.trim());
	if (named === null) return toBare(field, text.trim());
	const [, name = "", address = ""] = named;
	return `${toName(field, name.trim())}<${toBare(field, address.trim())}>`;
}

/** Returns a user of this machine, or `user@domain`; throws `SVC_INVALID` for other formats. */
function toBare(field: string, address: string): string {
	const at = address.lastIndexOf("@");
	const [local, domain] = at < 0 ? [address, undefined] : [address.slice(0, at), address.slice(at + 1)];
	const isLocal = local.length <= 64 && /^[A-Za-z0-9_](?:[A-Za-z0-9_+=~'#&*-]|\.(?!\.|$))*$/.test(local);
	const host = domain === undefined ? undefined : domainToASCII(domain);
	const isHost = host === undefined || (host.length <= 253 && /^[A-Za-z0-9](?:[A-Za-z0-9-]|\.(?!\.|$))*$/.test(host));
	if (!isLocal || !isHost) throw invalid(`${field}: "${address.slice(0, 100)}" is not a valid email address`);
	return host === undefined ? local : `${local}@${host}`;
}

function toName(field: string, quoted: string): string {
	const name = quoted.replace(/^"(.*)"$/, "$1");
	if (name === "") return "";
	if (/["\\\p{Cc}]/u.test(name)) throw invalid(`${field}: a name must not contain quotes, backslashes or control characters`);
	return `${/^[ -~]*$/.test(name) ? `"${name}"` : encodeWords(name)} `;
}

function invalid(message: string): SvcError {
	return new SvcError("SVC_INVALID", message);
}

/** Returns the configured sendmail command, or the first one in the directories of PATH, `/usr/sbin` and `/usr/lib`. */
async function findBinary(configured: string): Promise<string> {
	if (configured !== "") return configured;
	for (const directory of [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/lib"]) {
		const file = join(directory, "sendmail");
		if (directory.startsWith("/") && (await isExecutable(file))) return file;
	}
	throw new SvcError("SVC_RUNNER", "sendmail is not installed on this machine: install it, or set the option mail.sendmail_binary");
}

async function isExecutable(file: string): Promise<boolean> {
	return access(file, constants.X_OK).then(
		() => true,
		() => false,
	);
}

/** A mail whose fields have been validated. */
interface Mail {
	/** Recipients in header format. */
	readonly to: string;
	readonly from: string;
	/** Subject without line breaks. */
	readonly subject: string;
	readonly contentType: string;
	readonly body: string;
	readonly attachments: readonly Attachment[];
}

/** Throws if the value has several lines, because a line break would start another header. */
function assertOneLine(field: string, text: string): string {
	if (/\p{Cc}|[\u2028\u2029]/u.test(text)) throw new SvcError("SVC_INVALID", `${field} must be a single line without control characters`);
	return text;
}

/** Throws unless the value is a type and subtype. Parameters are not allowed, because the charset is always UTF-8. */
function assertContentType(text: string): string {
	if (/^[A-Za-z0-9][A-Za-z0-9.+-]*\/[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(text)) return text;
	throw new SvcError("SVC_INVALID", "content_type must be a type such as text/plain");
}

/** Returns the mail for sendmail. Body and files are encoded, so that their content cannot end a part. */
function createMail({ to, from, subject, contentType, body, attachments }: Mail): string {
	const head = [`To: ${to}`, `From: ${from}`, `Subject: ${toSubject(subject)}`, "MIME-Version: 1.0"];
	const text = toPart([`Content-Type: ${contentType}; charset=UTF-8`], Buffer.from(body));
	if (attachments.length === 0) return `${[...head, ...text].join("\n")}\n`;
	const boundary = randomBytes(16).toString("hex");
	const parts = [text, ...attachments.map(toAttachedPart)].flatMap((part) => [`--${boundary}`, ...part]);
	return `${[...head, `Content-Type: multipart/mixed; boundary="${boundary}"`, "", ...parts, `--${boundary}--`].join("\n")}\n`;
}

/** Returns the subject as a header value. A subject that is long or not ASCII is encoded, which also folds it. */
function toSubject(text: string): string {
	return /^[ -~]{0,900}$/.test(text) && !text.includes("=?") ? text : encodeWords(text);
}

function toAttachedPart({ name, content }: Attachment): string[] {
	const disposition = `Content-Disposition: attachment; filename="${name.replace(/[^A-Za-z0-9._ -]/g, "_")}"`;
	return toPart(["Content-Type: application/octet-stream", disposition], content);
}

function toPart(head: readonly string[], content: Buffer): string[] {
	return [...head, "Content-Transfer-Encoding: base64", "", ...(content.toString("base64").match(/.{1,76}/g) ?? [])];
}

/** Maximum UTF-8 bytes in one encoded word, which may have 75 characters including its delimiters. */
const maxWordBytes = 45;

/** Returns a string as encoded words of a header (RFC 2047), folded between words. Characters are never split. */
function encodeWords(text: string): string {
	const words: string[] = [];
	let word = "";
	for (const character of text) {
		if (Buffer.byteLength(word + character) > maxWordBytes) {
			words.push(word);
			word = "";
		}
		word += character;
	}
	return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString("base64")}?=`).join("\n ");
}
