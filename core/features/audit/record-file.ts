import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { CliExit } from "../../cli/context.ts";
import { isJsonObject, parseJson, toErrorMessage } from "../../contract/index.ts";
import type { AuditEntry } from "./chain.ts";
import type { AuditCheckpoint } from "./checkpoint.ts";

/** A line of an exported record: one of the two. */
export interface RecordLine {
	readonly entry?: AuditEntry;
	readonly checkpoint?: AuditCheckpoint;
}

/** What the lines of a file hold, in order. Lines of a log with checkpoints in them will do, too. */
export async function* readRecord(file: string): AsyncIterable<RecordLine> {
	let number = 0;
	try {
		for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
			number += 1;
			if (line.trim() !== "") yield toLine(parseJson(line));
		}
	} catch (error) {
		throw new CliExit(2, `${file}${number > 0 ? `, line ${number}` : ""}: cannot be read: ${toErrorMessage(error)}`);
	}
}

/** A checkpoint may stand by itself, as the API answers it. */
function toLine(value: unknown): RecordLine {
	if (!isJsonObject(value)) throw new Error("must be an object");
	const { entry, checkpoint } = value;
	if (isJsonObject(entry)) return { entry: entry as unknown as AuditEntry };
	const given = isJsonObject(checkpoint) ? checkpoint : value;
	if (typeof given["number"] === "number" && typeof given["hash"] === "string" && typeof given["signature"] === "string")
		return { checkpoint: given as unknown as AuditCheckpoint };
	throw new Error("must hold an entry or a checkpoint");
}
