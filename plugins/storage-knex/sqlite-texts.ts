import { type EntityKind, entityKinds } from "../../core/contract/index.ts";
import { LargeTexts } from "./large-texts.ts";
import type { LibsqlDatabase } from "./libsql.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { toTable } from "./table-names.ts";
import { referenceStart } from "./text-reference.ts";
import type { Binding } from "./values.ts";

/** Texts that are put into their rows at a time. */
const insertedAtOnce = 16;

/** The directory beside a database with its large texts. */
export function toTextDirectory(file: string): string {
	return `${file}-output`;
}

export interface SweepParts {
	readonly largeTexts: LargeTexts;
	readonly reader: SqliteConnection;
	/** Kinds that rows were removed of; those that need no further look are taken out. */
	readonly kinds: Set<EntityKind>;
}

/** Remove some of the large texts whose rows are gone: whether there are more to look at. */
export async function sweepTexts({ largeTexts, reader, kinds }: SweepParts): Promise<boolean> {
	const kind = [...kinds].find((each) => entityKinds[each].bulky !== undefined);
	const bulky = kind && entityKinds[kind].bulky;
	if (kind === undefined || bulky === undefined) return false;
	const sql = `select 1 from "${toTable(kind)}" where "${bulky.by}" = ? limit 1`;
	const isUsed = (group: string) => reader.read({ statement: { sql, answer: "row" }, bindings: [group] }).rows.length > 0;
	const { hasMore, leavesYoung } = await largeTexts.sweep(isUsed);
	if (!leavesYoung) kinds.delete(kind);
	return hasMore;
}

/** Put the large texts of a database into the rows of its copy, which then is all there is. */
export async function putInTexts(copy: LibsqlDatabase, file: string): Promise<void> {
	const largeTexts = new LargeTexts(toTextDirectory(file));
	for (const kind of Object.keys(entityKinds) as EntityKind[]) {
		const { bulky } = entityKinds[kind];
		if (bulky !== undefined && hasTable(copy, toTable(kind)))
			await putInColumn(copy, largeTexts, { table: toTable(kind), column: bulky.field });
	}
}

async function putInColumn(
	copy: LibsqlDatabase,
	largeTexts: LargeTexts,
	{ table, column }: { readonly table: string; readonly column: string },
): Promise<void> {
	const find = copy.prepare(
		`select id, "${column}" from "${table}" where id > ? and substr("${column}", 1, 2) = ? order by id limit ${insertedAtOnce}`,
	);
	const update = copy.prepare(`update "${table}" set "${column}" = ? where id = ?`);
	find.raw();
	for (let last: Binding = ""; ; ) {
		const found = find.all([last, referenceStart]);
		copy.exec("BEGIN");
		for (const [id = null, text = null] of await largeTexts.load(found, 1)) update.run([text, id]);
		copy.exec("COMMIT");
		if (found.length < insertedAtOnce) return;
		last = found.at(-1)?.[0] ?? null;
	}
}

function hasTable(copy: LibsqlDatabase, table: string): boolean {
	return copy.prepare("select 1 from sqlite_master where type = 'table' and name = ?").raw().get([table]) !== undefined;
}
