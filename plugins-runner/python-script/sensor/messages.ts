import { type JsonObject, maxLargeNumbers, parseJson, SvcError } from "../../../core/contract/index.ts";

const levels = ["debug", "info", "warn", "error"] as const;

/** Have the service do something, and be told what came of it. */
export interface SensorCall {
	readonly call: number;
	readonly method: string;
	readonly arguments: JsonObject;
}

/** What the process of a sensor says. */
export type SensorMessage =
	| SensorCall
	| { readonly log: (typeof levels)[number]; readonly name: string; readonly text: string }
	/** Changes of triggers have been dealt with. */
	| { readonly told: number };

/** A line as it came. Anything may write to a descriptor, so that nothing is believed: `SVC_RUNNER` for what is no message. */
export function toMessage(line: string): SensorMessage {
	const message = parse(line);
	const { call, method, arguments: given, log, name, text, told } = message;
	if (typeof call === "number" && typeof method === "string" && typeof given === "object" && given !== null && !Array.isArray(given)) {
		return { call, method, arguments: given as JsonObject };
	}
	const level = levels.find((known) => known === log);
	if (level !== undefined) return { log: level, name: String(name), text: String(text) };
	if (typeof told === "number") return { told };
	throw notUnderstood();
}

function parse(line: string): JsonObject {
	try {
		const value: unknown = parseJson(line, maxLargeNumbers);
		if (typeof value === "object" && value !== null) return value as JsonObject;
	} catch {
		// Said below.
	}
	throw notUnderstood();
}

function notUnderstood(): SvcError {
	return new SvcError("SVC_RUNNER", "it wrote to descriptor 3, over which it talks to the service");
}
