import { SvcError } from "../contract/index.ts";
import { isId } from "../kernel/basics/ids.ts";

/** A condition of more would be slower than the list without it. */
const maximumIds = 100;

/** The query parameter `id`: one id, or several separated by commas. */
export function parseIds(text: string): readonly string[] {
	const ids = text.split(",").map((id) => id.trim());
	if (ids.length > maximumIds) throw new SvcError("SVC_INVALID", `id: at most ${maximumIds} ids are allowed, got ${ids.length}`);
	const wrong = ids.find((id) => !isId(id));
	if (wrong !== undefined) throw new SvcError("SVC_INVALID", `id: must be 24 lower-case hexadecimal digits, got "${wrong}"`);
	return ids;
}
