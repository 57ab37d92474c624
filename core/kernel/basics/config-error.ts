import { SvcError } from "../../contract/index.ts";

/** Returns an `SVC_CONFIG` error that names all problems of the configuration. Each problem begins with its path. */
export function toConfigError(problems: readonly string[]): SvcError {
	const [first = ""] = problems;
	const message = problems.length === 1 ? first : [`the configuration has ${problems.length} problems:`, ...problems].join("\n- ");
	return new SvcError("SVC_CONFIG", message, { facts: { problems } });
}
