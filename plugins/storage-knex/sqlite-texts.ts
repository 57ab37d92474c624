import { type EntityKind, entityKinds } from "../../core/contract/index.ts";
import { LargeTexts } from "./large-texts.ts";
import type { LibsqlDatabase } from "./libsql.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { toTable } from "./table-names.ts";
import { referenceStart } from "./text-reference.ts";
import type { Binding } from "./values.ts";

/** Number of large texts that are copied into their rows in one transaction. */
const maxInlinedTexts = 16;

/** Returns the directory for the large texts of a database. */
export function toTextDirectory(file: string): string {
	return `${file}-output`;
}

export interface SweepOptions {
	readonly largeTexts: LargeTexts;
	readonly reader: SqliteConnection;
	/** Kinds of removed rows. Kinds that need no further sweep are deleted from the set. */
	readonly kinds: Set<EntityKind>;
}

/** Removes a part of the files of large texts whose rows were removed. Returns true if there are more files to check. */
export async function sweepTexts({ largeTexts, reader, kinds }: SweepOptions): Promise<boolean> {
	const kind = [...kinds].find((each) => entityKinds[each].bulky !== undefined);
	const bulky = kind && entityKinds[kind].bulky;
	if (kind === undefined || bulky === undefined) return false;
	const sql = `select 1 from "${toTable(kind)}" where "${bulky.by}" = ? limit 1`;
	const isUsed = (group: string) => reader.read({ statement: { sql, resultKind: "row" }, bindings: [group] }).rows.length > 0;
	const { hasMore, hasYoungFiles } = await largeTexts.sweep(isUsed);
	if (!hasYoungFiles) kinds.delete(kind);
	return hasMore;
}

/** Copies the large texts of a database into the rows of its copy, so that the copy is complete without further files. */
export async function inlineLargeTexts(copy: LibsqlDatabase, file: string): Promise<void> {
	const largeTexts = new LargeTexts(toTextDirectory(file));
	for (const kind of Object.keys(entityKinds) as EntityKind[]) {
		const { bulky } = entityKinds[kind];
		if (bulky !== undefined && hasTable(copy, toTable(kind)))
			await inlineColumn(copy, largeTexts, { table: toTable(kind), column: bulky.field });
	}
}

async function inlineColumn(
	copy: LibsqlDatabase,
	largeTexts: LargeTexts,
	{ table, column }: { readonly table: string; readonly column: string },
): Promise<void> {
	const select = copy.prepare(
		`select id, "${column}" from "${table}" where id > ? and substr("${column}", 1, 2) = ? order by id limit ${maxInlinedTexts}`,
	);
	const update = copy.prepare(`update "${table}" set "${column}" = ? where id = ?`);
	select.raw();
	for (let last: Binding = ""; ; ) {
		const rows = select.all([last, referenceStart]);
		copy.exec("BEGIN");
		for (const [id = null, text = null] of await largeTexts.load(rows, 1)) update.run([text, id]);
		copy.exec("COMMIT");
		if (rows.length < maxInlinedTexts) return;
		last = rows.at(-1)?.[0] ?? null;
	}
}

function hasTable(copy: LibsqlDatabase, table: string): boolean {
	return copy.prepare("select 1 from sqlite_master where type = 'table' and name = ?").raw().get([table]) !== undefined;
}
