import { isJsonObject, type JsonObject, type JsonValue, type OutputType } from "../../contract/index.ts";

/**
 * The part of a result that nobody has seen yet when its output of the types `streamed` has been printed, and the line at the end
 * names status, return code and error; undefined when there is none. Runners that start processes keep their output in the result too.
 */
export function toShownResult(result: JsonObject | undefined, streamed: ReadonlySet<OutputType>): JsonValue | undefined {
	if (result === undefined) return undefined;
	const shown = Object.entries(withoutSeen(result, streamed)).filter(([name, value]) => name !== "error" || typeof value !== "string");
	const [first, ...others] = shown;
	if (first === undefined) return undefined;
	return others.length === 0 && first[0] === "result" ? first[1] : Object.fromEntries(shown);
}

function withoutSeen(result: JsonObject, streamed: ReadonlySet<OutputType>): JsonObject {
	const isOfProcess = "return_code" in result || "exit_code" in result;
	return Object.fromEntries(
		Object.entries(result).flatMap(([name, value]): [string, JsonValue][] => {
			if (isSaid(name, value) || (isOfProcess && isSeen(name, value, streamed))) return [];
			// Runners that work on several hosts have the result of a process for each.
			if (!isJsonObject(value) || !("return_code" in value && "succeeded" in value)) return [[name, value]];
			const ofHost = withoutSeen(value, streamed);
			return Object.keys(ofHost).length === 0 ? [] : [[name, ofHost]];
		}),
	);
}

function isSaid(name: string, value: JsonValue): boolean {
	if (name === "succeeded" || name === "failed") return typeof value === "boolean";
	return (name === "return_code" || name === "exit_code") && typeof value === "number";
}

function isSeen(name: string, value: JsonValue, streamed: ReadonlySet<OutputType>): boolean {
	// The lines of several hosts come as output of a type of their own.
	if (name === "stdout" || name === "stderr") return value === "" || streamed.has(name) || streamed.has("other");
	// Python's word for an action that came to no end of its own.
	if (name === "result") return value === null || value === "None";
	return name === "engine" || name === "truncated";
}
