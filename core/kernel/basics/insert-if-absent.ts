import { isSvcError } from "../../contract/index.ts";

/** Two nodes may start at once and mean to make the same record: one of them makes it, and the other finds it made. */
export async function insertOnce(insert: () => Promise<void>): Promise<void> {
	await insert().catch((error: unknown) => {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
	});
}
