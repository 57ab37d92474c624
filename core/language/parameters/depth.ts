import type { JsonValue } from "../../contract/index.ts";
import { toParameterError } from "./parameter-errors.ts";

/** Maximum nesting levels of a parameter value. */
const maxDepth = 100;

/**
 * Refuses a value that is nested too deeply for recursive code, with `SVC_INVALID`. Visits the value level by level without recursion, so
 * that a deep value cannot overflow the stack.
 */
export function assertDepth(name: string, value: JsonValue): void {
	if (typeof value !== "object" || value === null) return;
	let level: readonly object[] = [value];
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > maxDepth) throw toParameterError(name, `parameter "${name}" is nested deeper than ${maxDepth} levels`);
		const next: object[] = [];
		for (const container of level) {
			for (const member of Object.values(container) as unknown[]) if (typeof member === "object" && member !== null) next.push(member);
		}
		level = next;
	}
}
