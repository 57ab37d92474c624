import { defineRunner, type JsonObject, RunAborted, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { createBaseEnvironment, createLauncherAccess, createOutputResult, type ProcessEnd, toExitNumber } from "../_process/index.ts";
import { toSignalError } from "../_shell/index.ts";
import { toAddress, toAddresses } from "./addresses.ts";
import { readAttachments } from "./attachments.ts";
import { findBinary } from "./binary.ts";
import { assertContentType, assertOneLine, createMail } from "./mail.ts";

const parameters = {
	to: { type: "string", required: true, description: "Recipients, separated by commas." },
	subject: { type: "string", required: true, description: "Subject; one line." },
	body: { type: "string", required: true, description: "Text of the mail." },
	from: { type: "string", default: "svc", description: "Sender." },
	send_empty_body: { type: "boolean", default: true, description: "Whether a mail without text is sent at all." },
	content_type: { type: "string", default: "text/html", description: "Content type of the text." },
	attachments: {
		type: "string",
		default: "",
		description: "Absolute paths of files to attach, separated by commas; they must lie in `mail.attachment_directories`.",
	},
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
} as const;

/** Sends mail by way of the machine's own mail system. No shell has a part in it, and no value becomes an argument. */
export const sendmail = defineRunner("sendmail", () => {
	const access = createLauncherAccess();
	let settings = { sendmail_binary: "", attachment_directories: [] as readonly string[] };
	return {
		description: "Sends a mail with the sendmail command of this machine.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		async start(context) {
			settings = context.options.mail;
			await access.start(context);
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
				await context.emit("stdout", "the body is empty: nothing was sent\n");
				return toResult(context, { code: 0, signal: null });
			}
			const end = await access.launcher.run({
				file: await findBinary(settings.sendmail_binary),
				// A line with a dot alone is no end, and the recipients are those of the header.
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

/** What ends the run by: the mail system has no business with the rest, least of all the token. */
function toMark({ SVC_ACTION_EXECUTION_ID: id }: Readonly<Record<string, string>>): Record<string, string> {
	return id === undefined ? {} : { SVC_ACTION_EXECUTION_ID: id };
}

function toResult({ signal, captured, runnerParameters }: RunContext<typeof parameters>, end: Omit<ProcessEnd, "pid">): RunResult {
	const timedOut = signal.reason instanceof RunAborted && signal.reason.kind === "timeout";
	const number = timedOut ? -9 : toExitNumber(end);
	const succeeded = number === 0 && !signal.aborted;
	const result: JsonObject = { failed: !succeeded, succeeded, return_code: number, ...createOutputResult((type) => captured(type)) };
	const late = timedOut ? `Action failed to complete in ${runnerParameters.timeout} seconds` : undefined;
	const error = late ?? (signal.aborted ? undefined : toSignalError(number));
	return { succeeded, result: error === undefined ? result : { ...result, error } };
}
