import type { CapturedOutput, JsonObject, JsonValue } from "../../core/contract/index.ts";

/** Returns stdout and stderr without one final newline. `truncated` contains the original size in bytes of each truncated channel. */
export function createOutputResult(capturedOf: (type: "stdout" | "stderr") => CapturedOutput): JsonObject {
	const output: Record<string, JsonValue> = {};
	const truncated: Record<string, number> = {};
	for (const type of ["stdout", "stderr"] as const) {
		const captured = capturedOf(type);
		output[type] = captured.truncated ? captured.text : captured.text.replace(/\n$/, "").replace(/\r$/, "");
		if (captured.truncated) truncated[type] = captured.bytes;
	}
	return Object.keys(truncated).length === 0 ? output : { ...output, truncated };
}
