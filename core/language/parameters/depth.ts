import type { JsonValue } from "../../contract/index.ts";
import { invalidParameter } from "./parameter-errors.ts";

/** Deepest value a parameter may have. */
const maximumDepth = 100;

/** Refuse a value that is nested too deeply to be walked. Goes level by level, so that no depth can end it. */
export function assertDepth(name: string, value: JsonValue): void {
	if (typeof value !== "object" || value === null) return;
	let level: readonly object[] = [value];
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > maximumDepth) throw invalidParameter(name, `parameter "${name}" is nested deeper than ${maximumDepth} levels`);
		const next: object[] = [];
		for (const container of level) {
			for (const member of Object.values(container) as unknown[]) if (typeof member === "object" && member !== null) next.push(member);
		}
		level = next;
	}
}
