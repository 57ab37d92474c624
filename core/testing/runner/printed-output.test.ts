// test-waits
import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { defineRunner } from "../../contract/index.ts";
import { assertAccepted } from "../broken/refusals.test-support.ts";
import { createRunContext, type ReadOutput } from "../run-context.ts";
import { type KitOptions, runKit } from "../run-kit.ts";
import { type RunnerSuiteOptions, testRunner } from "../runner-suite.ts";

const parameters = {
	lines: { type: "integer", default: 0 },
	text: { type: "string", default: "" },
	block: { type: "boolean", default: false },
	delay: { type: "number", default: 0 },
} as const;

/** A runner that prints what `toOutput` makes of a text. */
const printer = (toOutput: (text: string) => string) =>
	defineRunner("printer", () => ({
		description: "Prints.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		async run({ runnerParameters: wanted, emit, signal }) {
			const listen = () =>
				new Promise<void>((resolve) => {
					if (signal.aborted) resolve();
					signal.addEventListener("abort", () => resolve(), { once: true });
				});
			if (wanted.text !== "") await emit("stdout", toOutput(wanted.text));
			for (let line = 1; line <= wanted.lines; line++) await emit("stdout", toOutput(`line ${line}\n`));
			if (wanted.delay > 0) await delay(wanted.delay);
			if (wanted.block) await Promise.all(Array.from({ length: 20 }, listen));
			return { succeeded: !signal.aborted, result: {} };
		},
	}))();

const cases = {
	succeeds: {},
	prints: (lines: number) => ({ runnerParameters: { lines } }),
	blocks: { runnerParameters: { text: "ready\n", block: true } },
};

const toRegister =
	(options: Partial<RunnerSuiteOptions>) =>
	(register: RunnerSuiteOptions["test"]): void =>
		testRunner({ test: register, name: "printer", create: () => printer((text) => text), cases, grace: 400, ...options });

/** The message of the only statement whose name ends so. */
async function refusalOf(statement: string, options: Partial<RunnerSuiteOptions>, kit: KitOptions = {}): Promise<string> {
	const [result] = await runKit(toRegister(options), { ...kit, only: (name) => name.endsWith(statement) });
	assert.ok(result?.error instanceof assert.AssertionError, `no finding: ${String(result?.error)}`);
	return result.error.message;
}

const inOrder = "output is emitted completely and in order";
const cancel = "an abort (cancel) ends the run within the grace and keeps the output";
const wrap = (text: string) => `${JSON.stringify({ text })}\n`;
const unwrap: ReadOutput = (chunks) =>
	chunks
		.filter(({ type }) => type === "stdout")
		.map(({ data }) => (JSON.parse(data) as { text: string }).text)
		.join("");

test("a mismatch says what the case must print and where its output differs first, in a few words", async () => {
	const create = () => printer((text) => (text === "line 1234\n" ? "LINE 1234\n" : text));
	const message = await refusalOf(inOrder, { create });
	assert.match(message, /must print 2000 lines, "line 1\\n" to "line 2000\\n"/);
	assert.match(message, /first difference in line 1234: expected "line 1234\\n", printed "LINE 1234\\n"/);
	assert.ok(message.length < 500, `${message.length} characters`);
});

test("missing and additional lines, a missing end of a line and long lines are told apart", async () => {
	const messageOf = (toOutput: (text: string) => string) => refusalOf(inOrder, { create: () => printer(toOutput) });
	assert.match(await messageOf(() => ""), /it has printed nothing; hint: /);
	assert.match(
		await messageOf((text) => (text === "line 2000\n" ? "" : text)),
		/first difference in line 2000: expected "line 2000\\n", printed nothing more/,
	);
	assert.match(
		await messageOf((text) => (text === "line 2000\n" ? `${text}end` : text)),
		/line 2001: expected nothing more, printed "end"/,
	);
	assert.match(await messageOf((text) => text.trim()), /line 1: expected "line 1\\n", printed "line 1line 2.*… \(\d+ characters\)/);
});

test("a run that does not print ready is refused within the patience, with the text that it must print", async () => {
	const create = () => printer((text) => text.toUpperCase());
	const message = await refusalOf(cancel, { create, patience: 200 });
	assert.match(message, /had not printed "ready\\n" on stdout after 200 ms; the case must print "ready\\n"/);
	assert.match(message, /first difference in line 1: expected "ready\\n", printed "READY\\n"; hint: .*`readOutput`/);
});

test("a runner with an output format of its own passes if the suite is told how to read it", async () => {
	const create = () => printer(wrap);
	assert.match(await refusalOf(inOrder, { create }), /printed "\{\\"text\\":\\"line 1/);
	await assertAccepted(toRegister({ create, readOutput: unwrap }));
});

test("a run under test captures its output as emitted, whatever reads it", async () => {
	const runner = printer(wrap).create();
	const run = createRunContext(runner, { runnerParameters: { text: "a" }, readOutput: unwrap });
	await runner.run(run);
	assert.equal(run.text("stdout"), "a");
	assert.equal(run.captured("stdout").text, wrap("a"));
});

test("a runner that listens to the signal in many places is accepted without a warning", async () => {
	const warnings: Error[] = [];
	const keep = (warning: Error) => void warnings.push(warning);
	process.on("warning", keep);
	await assertAccepted(toRegister({}));
	await delay(10);
	process.off("warning", keep);
	assert.deepEqual(warnings.map(String), []);
});

test("a case that hangs is refused after 5 seconds, and a runner that needs longer sets its patience", async () => {
	const create = () => {
		const plugin = printer((text) => text);
		return { ...plugin, create: () => ({ ...plugin.create(), run: () => new Promise<never>(() => {}) }) };
	};
	const results: number[] = [];
	const message = await refusalOf(
		"with a result that survives JSON",
		{ create },
		{ onResult: ({ milliseconds }) => results.push(milliseconds) },
	);
	assert.match(message, /the run of the case "succeeds" had not ended after 5000 ms; hint: .*`patience`/);
	assert.ok((results[0] ?? 0) < 15_000, `${results[0]} ms`);
	const slow = { cases: { succeeds: { runnerParameters: { delay: 300 } } } };
	assert.match(await refusalOf("with a result that survives JSON", { ...slow, patience: 100 }), /after 100 ms/);
	await assertAccepted(toRegister({ ...slow, patience: 20_000 }));
});

test.run();
