/** The response of an engine exceeds the maximum size. */
export class AnswerTooLong extends Error {
	override readonly name = "AnswerTooLong";
}

/** Returns the whole response. Throws `AnswerTooLong`, or the error of a broken connection. */
export async function readAnswer(answer: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of answer) {
		length += piece.length;
		if (length > most) throw new AnswerTooLong(`the response has more than ${most} bytes`);
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/** Maximum characters of an engine's error message, and of a response that contains no such message. */
const [longestMessage, longestOther] = [1_000, 500];

/**
 * Returns the reason for which an engine refuses a request. Docker, Podman and Kubernetes return it as `message`; a proxy may return any
 * other format.
 */
export function toRefusal(text: string): string {
	try {
		const { message } = JSON.parse(text) as { readonly message?: unknown };
		if (typeof message === "string") return message.slice(0, longestMessage);
	} catch {
		// The response is not JSON and is returned unchanged.
	}
	return text.slice(0, longestOther);
}
