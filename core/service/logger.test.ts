import * as assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import { test } from "uvu";
import { type Logger, type Options, SvcError } from "../contract/index.ts";
import { createLogger, toServiceLogger } from "./logger.ts";

const defaults: Options["log"] = { level: "info", format: "json", mask_secrets: true, mask_secrets_blacklist: [] };

function openLog(options: Partial<Options["log"]> = {}, { debug = false, isTTY = false } = {}) {
	let text = "";
	const stream = {
		isTTY,
		write(part: string) {
			text += part;
		},
	};
	const logger = createLogger({ ...defaults, ...options }, { debug, stream });
	return {
		logger,
		text: () => text,
		lines: () => text.split("\n").slice(0, -1),
		records: () => text.split("\n").slice(0, -1).map(toRecord),
	};
}

function toRecord(line: string): Record<string, unknown> {
	return JSON.parse(line) as Record<string, unknown>;
}

test("a JSON line has time, level, message, tag and the fields", () => {
	const { logger, records } = openLog();
	logger
		.withTag("engine")
		.withTag("runner")
		.info("execution started", { execution_id: "5f", attempt: 1, tags: ["a"] });
	const [record] = records();
	const { time, ...rest } = record ?? {};
	assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
	assert.deepEqual(rest, {
		level: "info",
		message: "execution started",
		tag: "engine:runner",
		execution_id: "5f",
		attempt: 1,
		tags: ["a"],
	});
});

test("fields cannot pose as members of the line", () => {
	const { logger, records } = openLog();
	logger.warn("real", { level: "error", message: "forged", time: "never", tag: "kept without a tag of its own" });
	assert.equal(records()[0]?.["level"], "warn");
	assert.equal(records()[0]?.["message"], "real");
});

test("lines below the level are not written", () => {
	const written = (level: Options["log"]["level"]) => {
		const { logger, records } = openLog({ level });
		for (const name of ["debug", "info", "warn", "error"] as const) logger[name](name);
		return records().map((record) => record["message"]);
	};
	assert.deepEqual(written("debug"), ["debug", "info", "warn", "error"]);
	assert.deepEqual(written("info"), ["info", "warn", "error"]);
	assert.deepEqual(written("warn"), ["warn", "error"]);
	assert.deepEqual(written("error"), ["error"]);
});

test("the environment of a test run hides no level", () => {
	const before = process.env["NODE_ENV"];
	process.env["NODE_ENV"] = "test";
	try {
		const { logger, lines } = openLog();
		logger.info("here");
		assert.equal(lines().length, 1);
	} finally {
		if (before === undefined) delete process.env["NODE_ENV"];
		else process.env["NODE_ENV"] = before;
	}
});

test("a line that repeats is written each time", () => {
	const { logger, lines } = openLog();
	for (let count = 0; count < 100; count += 1) logger.info("same", { n: 1 });
	assert.equal(lines().length, 100);
});

test("text is for terminals unless the option says otherwise", () => {
	const isText = (format: Options["log"]["format"], isTTY: boolean) => {
		const { logger, text } = openLog({ format }, { isTTY });
		logger.info("hello", { name: "a b", count: 1 });
		return stripVTControlCharacters(text()).endsWith(' info  hello name="a b" count=1\n');
	};
	assert.equal(isText("auto", true), true);
	assert.equal(isText("auto", false), false);
	assert.equal(isText("text", false), true);
	assert.equal(isText("json", true), false);
});

test("values cannot forge a line or reach the terminal in text", () => {
	const { logger, lines, text } = openLog({ format: "text" });
	logger
		.withTag("a\nb")
		.info("one\r\ntwo", { value: "x\n2026 info forged", escape: "\u001b[31m", c1: "\u009b1m", object: { a: "\u2028" } });
	assert.equal(lines().length, 1);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	assert.doesNotMatch(text().trimEnd(), /[\u0000-\u001f\u007f-\u009f\u2028]/);
});

test("neither format lets through what moves a terminal or turns the direction of writing, and JSON stays what it was", () => {
	const unseen = [
		"\u001b]0;title\u0007",
		"\u009b31m",
		"\u007f",
		"\u0085",
		"\u202e",
		"\u2066",
		"\u2069",
		"\u200e",
		"\u200f",
		"\u061c",
		"\u2029",
	];
	for (const format of ["json", "text"] as const) {
		const { logger, text } = openLog({ format });
		for (const value of unseen) {
			logger.withTag(value).error(`message ${value}`, { value, [value]: 1, list: [value], error: new Error(value) });
		}
		assert.doesNotMatch(text().replaceAll("\n", ""), /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u, format);
	}
	const { logger, records } = openLog();
	for (const value of [...unseen, "schön ✓ שלום"]) logger.info("m", { value });
	assert.deepEqual(
		records().map((record) => record["value"]),
		[...unseen, "schön ✓ שלום"],
	);
});

test("errors are written with message, code, cause and stack", () => {
	const error = new SvcError("SVC_UNAVAILABLE", "the store is away", { cause: new Error("connection refused") });
	const json = openLog();
	json.logger.error("request failed", { error });
	const written = json.records()[0]?.["error"] as Record<string, unknown>;
	assert.equal(written["message"], "the store is away");
	assert.equal(written["code"], "SVC_UNAVAILABLE");
	assert.match(String(written["stack"]), /logger\.test/);
	assert.equal((written["cause"] as Record<string, unknown>)["message"], "connection refused");
	const text = openLog({ format: "text" });
	text.logger.error("request failed", { error });
	assert.match(text.text(), /request failed error="the store is away"\n {4}SvcError: the store is away\n {4}at /);
});

test("attributes with a secret's name are masked, nested ones and those of the blacklist too", () => {
	const { logger, records, text } = openLog({ mask_secrets_blacklist: ["PIN"] });
	const error = Object.assign(new Error("x"), { token: "s3cret" });
	logger.info("sign-in", { user: "ann", password: "s3cret", nested: { list: [{ auth_token: "s3cret" }], pin: "s3cret" }, error });
	assert.doesNotMatch(text(), /s3cret/);
	assert.equal(records()[0]?.["password"], "********");
	assert.equal(records()[0]?.["user"], "ann");
});

test("registered secrets are masked in messages, fields, keys and errors, in both formats", () => {
	for (const format of ["json", "text"] as const) {
		const { logger, text } = openLog({ format });
		const secret = 'pa"ss\nword';
		logger.addSecret(secret);
		logger.withTag("runner").info(`the value ${secret} in a message`, {
			command: `echo ${secret}`,
			list: [{ deep: secret }],
			[secret]: 1,
			error: new Error(`no ${secret}`, { cause: secret }),
			encoded: JSON.stringify({ secret }),
		});
		assert.doesNotMatch(text(), /pa.{0,3}ss/);
		assert.match(text(), /echo \*{8}/);
	}
});

test("a secret added twice is masked until it has been forgotten twice", () => {
	const { logger, records } = openLog();
	logger.addSecret("hunter22");
	logger.addSecret("hunter22");
	logger.forgetSecret("hunter22");
	logger.info("hunter22");
	logger.forgetSecret("hunter22");
	logger.forgetSecret("hunter22");
	logger.info("hunter22");
	assert.deepEqual(
		records().map((record) => record["message"]),
		["********", "hunter22"],
	);
});

test("a secret that a long text is cut at is masked", () => {
	const { logger, text } = openLog();
	logger.addSecret("hunter22");
	logger.info("long", { output: `${"x".repeat(16_380)}hunter22${"x".repeat(100_000)}` });
	assert.doesNotMatch(text(), /hunt/);
	assert.ok(text().length < 20_000);
});

test("debug mode logs everything unmasked, and says so first", () => {
	const { logger, records } = openLog({}, { debug: true });
	logger.addSecret("hunter22");
	logger.debug("sign-in", { password: "hunter22" });
	assert.deepEqual([records()[0]?.["level"], records()[0]?.["reason"]], ["warn", "debug mode"]);
	assert.equal(records()[1]?.["password"], "hunter22");
});

test("masking that is switched off is told first", () => {
	const { logger, records } = openLog({ mask_secrets: false });
	logger.info("sign-in", { password: "hunter22" });
	assert.equal(records()[0]?.["reason"], "log.mask_secrets is false");
	assert.equal(records()[1]?.["password"], "hunter22");
});

test("loggers of one process share neither level nor secrets", () => {
	const first = openLog({ level: "error" });
	const second = openLog();
	first.logger.addSecret("hunter22");
	second.logger.info("hunter22");
	first.logger.info("hidden");
	assert.equal(first.lines().length, 0);
	assert.equal(second.records()[0]?.["message"], "hunter22");
});

test("odd values are written without failing", () => {
	const { logger, records } = openLog();
	const cycle: Record<string, unknown> = { name: "a" };
	cycle["self"] = cycle;
	logger.info("odd", {
		cycle,
		big: 1n,
		bytes: Buffer.from("abc"),
		when: new Date(0),
		nothing: undefined,
		call: () => 1,
		symbol: Symbol("s"),
	});
	const [record] = records();
	assert.deepEqual(record?.["cycle"], { name: "a", self: "(…)" });
	assert.equal(record?.["big"], 1);
	assert.equal(record?.["bytes"], "(3 bytes)");
	assert.equal(record?.["when"], "1970-01-01T00:00:00.000Z");
});

test("a log of the embedding program gets masked lines of the level and above, with the tag among the fields", () => {
	const lines: unknown[] = [];
	/** As loggers that are classes do, it needs its `this`. */
	class Host implements Logger {
		readonly #add = (...line: unknown[]) => void lines.push(line);
		debug(...line: unknown[]) {
			this.#add("debug", ...line);
		}
		info(...line: unknown[]) {
			this.#add("info", ...line);
		}
		warn(...line: unknown[]) {
			this.#add("warn", ...line);
		}
		error(...line: unknown[]) {
			this.#add("error", ...line);
		}
	}
	const logger = toServiceLogger(new Host(), defaults, false);
	logger.addSecret("hunter22");
	logger.debug("below the level");
	logger.info("signed in as hunter22", { password: "x", note: "with hunter22" });
	logger.withTag("auth").error("failed", { attempt: 1 });
	assert.deepEqual(lines, [
		["info", "signed in as ********", { password: "********", note: "with ********" }],
		["error", "failed", { attempt: 1, tag: "auth" }],
	]);
	const own = createLogger(defaults, { debug: false });
	assert.equal(toServiceLogger(own, defaults, false), own);
});

test.run();
