import * as assert from "node:assert/strict";
import type { JsonObject } from "../../contract/index.ts";
import type { Check } from "./check.ts";
import { createAction, createChunk, createExecution, createToken, createTrace, nextId } from "./fixtures.ts";

const awkwardTexts = [
	"",
	" ",
	"\u0000",
	"a\u0000b\u0000",
	"\u0001\u0002\u0001",
	"\u0000\u0001\u0000",
	"é ß 中 \u{1f600} \u{10ffff} \ufeff \uffff \u2028",
	"'; drop table executions; --",
	'"`[]{}%_\\*?:$1 :id @x ?1',
	"line\r\nline\n\ttab\u001b[0m\u007f",
	"null",
	"1",
	"1e3",
];

/** Registers the tests that values are stored unchanged and that neither side keeps a reference to the other's object. */
export function checkValues(check: Check): void {
	checkRoundTrips(check);
	checkAwkwardText(check);
	checkLargeValues(check);
	checkRefusedValues(check);
	checkIsolation(check);
}

function checkRoundTrips(check: Check): void {
	check("every field type is returned unchanged", async (storage) => {
		const full = createExecution({
			parent_id: nextId(),
			elapsed_seconds: 0.1 + 0.2,
			delay: 0,
			attempt: 3,
			result_size: Number.MAX_SAFE_INTEGER,
			result: {},
		});
		const far = createExecution({ elapsed_seconds: 1e-7, delay: 2 ** 31, result_size: 2 ** 53 - 1, attempt: -1 });
		await storage.insert("execution", [full, far]);
		assert.deepEqual(await storage.find("execution", {}), [full, far]);
		const actions = [createAction("a"), createAction("b", { enabled: false, metadata_file: "actions/b.yaml", tags: [{ name: "x" }] })];
		await storage.insert("action", actions);
		assert.deepEqual(await storage.find("action", {}), actions);
	});

	check("integers inside a json field are exact, regardless of their size", async (storage) => {
		const id = 1234567890123456789n;
		const execution = createExecution({ parameters: { id, ids: [id, -id, 2n ** 64n] }, result: { id }, result_size: 26 });
		await storage.insert("execution", [execution]);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
		await storage.update("execution", execution.id, { result: { id: id + 1n } });
		assert.deepEqual((await storage.get("execution", execution.id))?.result, { id: id + 1n });
	});

	check("null and a JSON null inside a field are distinct from empty values", async (storage) => {
		const execution = createExecution({
			notify: null,
			callback: {},
			runner_info: { value: null },
			rule_name: "",
			parameters: { list: [], text: "" },
		});
		await storage.insert("execution", [execution]);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
	});

	check("floating-point numbers are returned exactly", async (storage) => {
		const numbers = [0.1, 1 / 3, 123_456_789.123456, 1e21, 5e-324, Number.MAX_VALUE, -1.5, 3];
		const executions = numbers.map((elapsed_seconds) => createExecution({ elapsed_seconds, result: { elapsed_seconds } }));
		await storage.insert("execution", executions);
		assert.deepEqual(await storage.find("execution", {}), executions);
	});
}

function checkAwkwardText(check: Check): void {
	check("unusual text in a text field is returned unchanged", async (storage) => {
		const chunks = awkwardTexts.map((text, index) => createChunk(text, index + 1, text));
		await storage.insert("output_chunk", chunks);
		assert.deepEqual(await storage.find("output_chunk", {}), chunks);
	});

	check("unusual text can be found by value, prefix, comparison and in", async (storage) => {
		await storage.insert(
			"trace",
			awkwardTexts.map((text) => createTrace(text)),
		);
		for (const text of awkwardTexts) {
			assert.equal(await storage.count("trace", { trace_tag: text }), 1, JSON.stringify(text));
			assert.equal(await storage.count("trace", { trace_tag: { in: [text] } }), 1, JSON.stringify(text));
			assert.equal(await storage.count("trace", { trace_tag: { gte: text, lte: text } }), 1, JSON.stringify(text));
			const expected = awkwardTexts.filter((other) => other.startsWith(text)).length;
			assert.equal(await storage.count("trace", { trace_tag: { prefix: text } }), expected, JSON.stringify(text));
		}
		assert.deepEqual(new Set(await storage.distinct("trace", "trace_tag")), new Set(awkwardTexts));
	});

	check("NUL is sorted before every other character", async (storage) => {
		const tags = ["a", "a\u0000", "a\u0000\u0001", "a\u0001", "a\u0001\u0000", "a\u0002", "ab"];
		await storage.insert(
			"trace",
			[...tags].reverse().map((tag) => createTrace(tag)),
		);
		const found = await storage.find("trace", { orderBy: [["trace_tag", "asc"]] });
		assert.deepEqual(
			found.map(({ trace_tag }) => trace_tag),
			tags,
		);
	});

	check("unusual JSON is returned unchanged", async (storage) => {
		const json =
			'{"__proto__":{"polluted":true},"constructor":"x","":0,"a.b":[[],{},[null]],"\\u0000":"\\u0000","lone":"\\ud800","$[#]":"\\u2028"}';
		const execution = createExecution({
			parameters: JSON.parse(json),
			context: Object.fromEntries(awkwardTexts.map((text) => [text, text])),
		});
		await storage.insert("execution", [execution]);
		const stored = await storage.get("execution", execution.id);
		assert.equal(JSON.stringify(stored?.parameters), JSON.stringify(JSON.parse(json)));
		assert.deepEqual(stored?.context, execution.context);
		assert.equal(({} as { polluted?: boolean }).polluted, undefined);
	});
}

function checkLargeValues(check: Check): void {
	check("a text of 1 MiB is returned unchanged, as text and inside JSON", async (storage) => {
		const text = "0123456789 é\u0000\u{1f600}\n".repeat(60_000).slice(0, 1_048_576);
		const chunk = createChunk("a", 1, text);
		const execution = createExecution({ result: { stdout: text } });
		await storage.insert("output_chunk", [chunk]);
		await storage.insert("execution", [execution]);
		assert.equal((await storage.get("output_chunk", chunk.id))?.data, text);
		assert.deepEqual((await storage.get("execution", execution.id))?.result, { stdout: text });
	});

	check("JSON nested 1,500 levels deep is returned unchanged", async (storage) => {
		let nested: JsonObject = {};
		for (let depth = 0; depth < 1_500; depth++) nested = { nested };
		const execution = createExecution({ parameters: nested });
		await storage.insert("execution", [execution]);
		assert.equal(JSON.stringify((await storage.get("execution", execution.id))?.parameters), JSON.stringify(nested));
	});
}

function checkRefusedValues(check: Check): void {
	check("values that a field cannot store are refused without side effects", async (storage) => {
		const token = createToken("x");
		for (const user of [undefined, {}, 1n, Symbol("x"), () => 1] as unknown as string[]) {
			await assert.rejects(storage.insert("token", [{ ...token, user }]), TypeError);
		}
		for (const elapsed_seconds of [Number.NaN, Number.POSITIVE_INFINITY]) {
			await assert.rejects(storage.insert("execution", [createExecution({ elapsed_seconds })]), TypeError);
		}
		await storage.insert("token", [token]);
		await assert.rejects(storage.update("token", token.id, { nothing: 1 } as object), TypeError);
		assert.deepEqual(await storage.find("token", {}), [token]);
	});
}

function checkIsolation(check: Check): void {
	check("later changes to an inserted entity do not affect the storage", async (storage) => {
		const context = { list: [1], nested: { a: 1 } };
		const execution = createExecution({ context });
		const inserted = storage.insert("execution", [execution]);
		context.list.push(2);
		await inserted;
		context.nested.a = 2;
		assert.deepEqual((await storage.get("execution", execution.id))?.context, { list: [1], nested: { a: 1 } });
	});

	check("changes to a returned entity do not affect the storage or other callers", async (storage) => {
		const execution = createExecution({ context: { list: [1] } });
		await storage.insert("execution", [execution]);
		const [first, second] = [await storage.get("execution", execution.id), await storage.get("execution", execution.id)];
		assert.ok(first);
		(first.context["list"] as unknown as number[]).push(2);
		Object.assign(first, { status: "failed" });
		assert.deepEqual(second, execution);
		assert.deepEqual(await storage.get("execution", execution.id), execution);
	});

	check("later changes to a patch do not affect the storage", async (storage) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const result = { list: [1] };
		const updated = storage.update("execution", execution.id, { result });
		result.list.push(2);
		assert.deepEqual((await updated)?.result, { list: [1] });
	});
}
