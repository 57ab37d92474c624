import { isSvcError } from "../../contract/index.ts";

/**
 * Calls `insert`, and ignores `SVC_CONFLICT`: the record exists, because another node, or an earlier attempt of this node, has inserted it.
 * Rejects with any other error.
 */
export async function insertIfAbsent(insert: () => Promise<void>): Promise<void> {
	await insert().catch((error: unknown) => {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
	});
}
