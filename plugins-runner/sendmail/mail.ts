import { randomBytes } from "node:crypto";
import { SvcError } from "../../core/contract/index.ts";
import type { Attachment } from "./attachments.ts";
import { encodeWords } from "./encode-words.ts";

/** A mail whose parts have been checked. */
export interface Mail {
	/** As in the header. */
	readonly to: string;
	readonly from: string;
	/** One line. */
	readonly subject: string;
	readonly contentType: string;
	readonly body: string;
	readonly attachments: readonly Attachment[];
}

/** A line break would begin a header of its own. */
export function assertOneLine(field: string, text: string): string {
	if (/\p{Cc}|[\u2028\u2029]/u.test(text)) throw new SvcError("SVC_INVALID", `${field} must be a single line without control characters`);
	return text;
}

/** Type and subtype, without parameters: the text is UTF-8. */
export function assertContentType(text: string): string {
	if (/^[A-Za-z0-9][A-Za-z0-9.+-]*\/[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(text)) return text;
	throw new SvcError("SVC_INVALID", "content_type must be a type such as text/plain");
}

/** The text for sendmail. Texts and files are encoded, so that nothing in them can end a part. */
export function createMail({ to, from, subject, contentType, body, attachments }: Mail): string {
	const head = [`To: ${to}`, `From: ${from}`, `Subject: ${toSubject(subject)}`, "MIME-Version: 1.0"];
	const text = toPart([`Content-Type: ${contentType}; charset=UTF-8`], Buffer.from(body));
	if (attachments.length === 0) return `${[...head, ...text].join("\n")}\n`;
	const boundary = randomBytes(16).toString("hex");
	const parts = [text, ...attachments.map(toAttachedPart)].flatMap((part) => [`--${boundary}`, ...part]);
	return `${[...head, `Content-Type: multipart/mixed; boundary="${boundary}"`, "", ...parts, `--${boundary}--`].join("\n")}\n`;
}

/** Long lines are folded by their encoding. */
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
