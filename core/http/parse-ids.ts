import { SvcError } from "../contract/index.ts";
import { isId } from "../kernel/basics/ids.ts";

/** Maximum number of ids in one filter. With more, the query would be slower than the list without the filter. */
const maximumIds = 100;

/**
 * Parses the query parameter `id`: one id, or several separated by commas. Throws `SVC_INVALID` for more than 100, and for an
 * invalid id.
 */
export function parseIds(text: string): readonly string[] {
	const ids = text.split(",").map((id) => id.trim());
	if (ids.length > maximumIds) throw new SvcError("SVC_INVALID", `id: at most ${maximumIds} ids are allowed, got ${ids.length}`);
	const invalidId = ids.find((id) => !isId(id));
	if (invalidId !== undefined) throw new SvcError("SVC_INVALID", `id: must be 24 lower-case hexadecimal digits, got "${invalidId}"`);
	return ids;
}
