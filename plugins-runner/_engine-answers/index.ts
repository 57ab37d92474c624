import type { IncomingMessage } from "node:http";

/** The answer of an engine has more bytes than it may have. */
export class AnswerTooLong extends Error {
	override readonly name = "AnswerTooLong";
}

/** All of an answer. Throws `AnswerTooLong`, or what cuts the connection. */
export async function readAnswer(answer: IncomingMessage, most: number): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of answer) {
		length += (piece as Buffer).length;
		if (length > most) throw new AnswerTooLong(`the answer has more than ${most} bytes`);
		pieces.push(piece as Buffer);
	}
	return Buffer.concat(pieces);
}

/** Characters of what an engine says about an error, and of what something else says in its place. */
const [longestMessage, longestOther] = [1_000, 500];

/** Why an engine refuses something, in its words: Docker, Podman and Kubernetes say it as `message`, a proxy on the way in its own manner. */
export function toRefusal(text: string): string {
	try {
		const { message } = JSON.parse(text) as { readonly message?: unknown };
		if (typeof message === "string") return message.slice(0, longestMessage);
	} catch {
		// What it is then is told as it is.
	}
	return text.slice(0, longestOther);
}
