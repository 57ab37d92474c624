import type { Statement } from "./database-client.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { LibsqlDatabase } from "./libsql.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Pages moved at a time, of 4 KiB each: a matter of milliseconds. */
const pagesAtOnce = 500;

const incremental = 2;

const autoVacuum: Statement = { sql: "pragma auto_vacuum", answer: "row" };
const freePages: Statement = { sql: "pragma freelist_count", answer: "row" };

export interface CompactedFile {
	readonly writer: SqliteConnection;
	readonly commits: GroupCommit;
	/** Opens a connection for the checkpoint, which is done in another thread. */
	readonly connect: () => LibsqlDatabase;
}

/**
 * Cut free pages off the end of the file: whether there are more. A file of a version that did not ask for that when it was
 * made keeps its size, and its free pages are used again.
 */
export async function compactFile({ writer, commits, connect }: CompactedFile): Promise<boolean> {
	const read = (statement: Statement) => Number(writer.run({ statement, bindings: [] }).rows[0]?.[0]);
	const { freed, left } = await commits.between(() => {
		const before = read(freePages);
		if (before === 0 || read(autoVacuum) !== incremental) return { freed: 0, left: 0 };
		// Nothing is lost when the last of these steps is.
		writer.setDurable(false);
		// Not prepared: it frees a page each time it is stepped, and is stepped to its end only here.
		writer.exec(`pragma incremental_vacuum(${pagesAtOnce})`);
		const left = read(freePages);
		return { freed: before - left, left };
	});
	if (freed === 0 || left > 0) return freed > 0;
	const database = connect();
	try {
		// Until then the pages that went are only in the log, and the file is as long as it was.
		await database.execAsync("PRAGMA wal_checkpoint(PASSIVE)");
	} finally {
		database.close();
	}
	return false;
}
