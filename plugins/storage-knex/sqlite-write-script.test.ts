import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Step, Write } from "./database-client.ts";
import { importLibsql } from "./libsql.ts";
import { toScriptText, toWriteScript } from "./sqlite-write-script.ts";
import type { Binding } from "./values.ts";

const insert = { sql: "insert into entries values (?, ?, ?, ?)", resultKind: "changes" } as const;

test("values written into a text are stored as those that are handed over", async () => {
	const database = new (await importLibsql())(":memory:", { timeout: 0 });
	database.exec("create table entries (number integer, text text, real real, flag boolean)");
	const texts = [
		"",
		"'",
		"''",
		"a'); drop table entries; --",
		"\\",
		"?",
		";",
		"\n",
		"Grüße 日本 🚀",
		"-- x",
		"/*",
		'"',
		"\u0001\u0001",
		"\ud800",
	];
	const numbers = [0, 1, -1, 0.1, 0.3, 123456.789012, 856899.841128, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1.5, -0.000001];
	const rows: Binding[][] = [
		...texts.map((text) => [1, text, null, true]),
		...numbers.map((number) => [number, null, number, false]),
		...Array.from({ length: 500 }, (_none, index) => [index, String(index), Math.round(Math.random() * 1e12) / 1e6, index % 2 === 0]),
	];
	const read = () => database.prepare("select *, typeof(number), typeof(real) from entries order by rowid").raw().all([]);
	for (const row of rows) database.prepare(insert.sql).run(row.map((value) => (typeof value === "boolean" ? Number(value) : value)));
	const handedOver = read();
	database.exec("delete from entries");
	const text = toScriptText(
		rows.map((bindings) => ({ statement: insert, bindings })),
		0,
	);
	database.exec(text ?? assert.fail("there is a text"));
	assert.deepEqual(read(), handedOver);
	database.close();
});

test("there is no text where an answer is wanted, a number has no certain one, or it would be long", () => {
	const row = [1, "x", 0.5, true];
	assert.ok(toScriptText([{ statement: insert, bindings: row }], 1));
	for (const answer of ["row", "rows"] as const)
		assert.equal(toScriptText([{ statement: { ...insert, resultKind: answer }, bindings: row }], 1), undefined);
	for (const number of [0.1 + 0.2, Math.PI * 1e-20, 1e-7, 1e21, 1.5e300, Number.POSITIVE_INFINITY, Number.NaN])
		assert.equal(toScriptText([{ statement: insert, bindings: [1, "x", number, true] }], 1), undefined);
	assert.equal(toScriptText([{ statement: insert, bindings: row }], 1_000_000), undefined);
	assert.equal(
		toScriptText([{ statement: { sql: "update entries set text = '?' where number = ?", resultKind: "changes" }, bindings: [1] }], 1),
		undefined,
	);
});

test("a statement that must change something and does not, ends the text", async () => {
	const database = new (await importLibsql())(":memory:", { timeout: 0 });
	database.exec("create table entries (number integer, text text, real real, flag boolean)");
	const change = { sql: "update entries set text = ? where number = ?", resultKind: "change" } as const;
	const first = { statement: insert, bindings: [1, "old", null, null] };
	database.exec(toScriptText([first, { statement: change, bindings: ["new", 1] }], 0) ?? "");
	const text = toScriptText([{ statement: change, bindings: ["newer", 2] }, first], 0) ?? "";
	assert.throws(() => database.exec(text));
	assert.deepEqual(database.prepare("select text from entries").raw().all([]), [["new"]]);
	database.close();
});

test("inserts of several writes are prepared once, and stay behind and before all else", async () => {
	const database = new (await importLibsql())(":memory:", { timeout: 0 });
	database.exec("create table entries (number integer); create table others (number integer)");
	const toInsert = (table: string) => ({ sql: `insert into ${table} values (?)`, resultKind: "changes" }) as const;
	const [entry, other] = [toInsert("entries"), toInsert("others")];
	const double = { sql: "update entries set number = number * 2 where number < ?", resultKind: "changes" } as const;
	const toWrite = (...steps: readonly Step[]) => ({ stepsWithoutResult: steps, size: 1 }) as unknown as Write<unknown>;
	const writes = Array.from({ length: 4 }, (_none, index) =>
		toWrite({ statement: entry, bindings: [index + 1] }, { statement: other, bindings: [index + 1] }),
	);
	const text = toWriteScript([...writes, toWrite({ statement: double, bindings: [100] }), ...writes]) ?? assert.fail("there is a text");
	assert.equal(text.split("insert into").length - 1, 4);
	database.exec(text);
	const read = (table: string) => database.prepare(`select number from ${table} order by rowid`).raw().all([]).flat();
	assert.deepEqual(read("entries"), [2, 4, 6, 8, 1, 2, 3, 4]);
	assert.deepEqual(read("others"), [1, 2, 3, 4, 1, 2, 3, 4]);
	database.close();
});

test("a change of one entity keeps apart only inserts of its own kind", async () => {
	const database = new (await importLibsql())(":memory:", { timeout: 0 });
	database.exec("create table executions (id text, number integer); create table traces (id text, number integer)");
	const toInsert = (kind: "execution" | "trace", id: string): Step => ({
		statement: inserts[kind],
		bindings: [id, 1],
		target: { kind, rows: () => [] },
	});
	const inserts = {
		execution: { sql: "insert into executions values (?, ?)", resultKind: "changes" },
		trace: { sql: "insert into traces values (?, ?)", resultKind: "changes" },
	} as const;
	const change = { sql: "update traces set number = number + 1 where id = ?", resultKind: "change" } as const;
	const ids = Array.from({ length: 8 }, (_none, index) => `n${index}`);
	const writes = ids.map((id) => [
		toInsert("execution", id),
		toInsert("trace", id),
		{ statement: change, bindings: [id], target: { kind: "trace", id, rows: () => [] } } satisfies Step,
	]);
	const text =
		toWriteScript(writes.map((stepsWithoutResult) => ({ stepsWithoutResult, size: 1 }) as unknown as Write<unknown>)) ??
		assert.fail("there is a text");
	assert.equal(text.split("insert into executions").length - 1, 1);
	assert.equal(text.split("insert into traces").length - 1, ids.length);
	database.exec(text);
	assert.deepEqual(
		database.prepare("select number from traces").raw().all([]).flat(),
		ids.map(() => 2),
	);
	assert.equal(database.prepare("select count(*) from executions").raw().get([])?.[0], ids.length);
	database.close();
});

test.run();
