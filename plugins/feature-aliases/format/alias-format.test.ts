import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { withWorkBudget } from "../../../core/language/work-budget.ts";
import { createAliasFormat } from "./alias-format.ts";
import { readCommand } from "./command-text.ts";

/** Each as work of its own: all of a test together would have the time of one. */
const read = (format: string, command: string, isMultiple = false) =>
	withWorkBudget(() => createAliasFormat(format, isMultiple).read(readCommand(command)));
/** What the one occurrence says. */
const one = (format: string, command: string) => read(format, command)?.[0];
const refuses = (format: string, pattern: RegExp) =>
	assert.throws(
		() => createAliasFormat(format),
		(error: unknown) => isSvcError(error, "SVC_INVALID") && pattern.test(error.message),
		format,
	);

test("values stand where the format names them, and all of the command must fit", () => {
	assert.deepEqual(one("run {{cmd}} on {{ hosts }}", "run uptime on web1,web2"), { cmd: "uptime", hosts: "web1,web2" });
	assert.deepEqual(one("run {{cmd}} on {{hosts}}", "  run  ls -l /tmp   on\tweb1 \n"), { cmd: "ls -l /tmp", hosts: "web1" });
	assert.equal(one("run {{cmd}} on {{hosts}}", "run uptime"), undefined);
	assert.equal(one("run {{cmd}}", "please run uptime"), undefined);
	assert.equal(one("run {{cmd}}", "Run uptime"), undefined);
	assert.equal(one("run {{cmd}}", "run"), undefined);
	assert.deepEqual(one("status", "status"), {});
	assert.deepEqual(one("say {{text}}", "say one\ntwo\n\nthree"), { text: "one\ntwo\n\nthree" });
	assert.deepEqual(one("{{verb}} it", "stop it"), { verb: "stop" });
});

test("a value with a default may be missing, and the blank in front of it as well", () => {
	const format = "run {{cmd}} on {{hosts=localhost}}";
	assert.deepEqual(one(format, "run uptime on"), { cmd: "uptime", hosts: "localhost" });
	assert.deepEqual(one(format, "run uptime on web1"), { cmd: "uptime", hosts: "web1" });
	assert.deepEqual(one("list {{pack=core}} {{limit=10}}", "list"), { pack: "core", limit: "10" });
	assert.deepEqual(one("list {{pack=core}} {{limit=10}}", "list linux"), { pack: "linux", limit: "10" });
	assert.deepEqual(one("list {{pack=core}} {{limit=10}}", "list linux 3"), { pack: "linux", limit: "3" });
	assert.deepEqual(one("{{who=me}} again", "again"), { who: "me" });
	assert.deepEqual(one("{{who=me}} again", "you again"), { who: "you" });
	assert.deepEqual(one("greet {{name='the world'}}", "greet"), { name: "the world" });
	assert.deepEqual(one("set {{options={}}}", "set"), { options: "{}" });
	// An empty one leaves it to the action.
	assert.deepEqual(one("greet {{name=}}", "greet"), {});
});

test("words at the beginning of a format are compared without a search, and mean the same", () => {
	assert.deepEqual(one("(?i)Do  That {{x}}", "dO\tTHAT  y"), { x: "y" });
	assert.equal(one("do that {{x}}", "Do that y"), undefined);
	assert.deepEqual(one("do things? {{x}}", "do thing y"), { x: "y" });
	assert.deepEqual(one("do  ?{{x}}", "do y"), { x: "y" });
	assert.deepEqual(one("do-it {{x=1}}", "do-it"), { x: "1" });
	assert.deepEqual(one("^ *do {{x}}", "do y"), { x: "y" });
	assert.deepEqual(one("(?m)do {{x}}", "please\ndo y") ?? one("do {{x}}", "do y"), { x: "y" });
	assert.equal(one("do that {{x}}", `${" ".repeat(50)}do this y`), undefined);
});

test("quotes, back ticks and braces hold a value together", () => {
	const format = "send {{text}} to {{who}}";
	assert.deepEqual(one(format, 'send "on to it" to ada'), { text: "on to it", who: "ada" });
	assert.deepEqual(one(format, "send 'on to it' to 'ada l'"), { text: "on to it", who: "ada l" });
	assert.deepEqual(one(format, "send `on to it` to ada"), { text: "on to it", who: "ada" });
	assert.deepEqual(one("run {{cmd}}", "run ```\nls\npwd\n```"), { cmd: "ls\npwd" });
	assert.deepEqual(one("run {{cmd}}", 'run "say \\"hi\\""'), { cmd: 'say "hi"' });
	assert.deepEqual(one("run {{cmd}}", 'run echo "a" and "b"'), { cmd: 'echo "a" and "b"' });
	assert.deepEqual(one("run {{cmd}}", 'run "a" and "b"'), { cmd: '"a" and "b"' });
	assert.deepEqual(one("run {{cmd}}", 'run ""'), { cmd: "" });
	assert.deepEqual(one("set {{options}} {{name}}", 'set {"a": 1, "b": "x y"} web'), { options: '{"a": 1, "b": "x y"}', name: "web" });
});

test("what chat clients make of quotes while somebody types is read as quotes, and kept within values", () => {
	assert.deepEqual(one("send {{text}} to {{who}}", "send “on to it” to ‘ada l’"), { text: "on to it", who: "ada l" });
	assert.deepEqual(one("send {{text}}", "send don’t “panic” now"), { text: "don’t “panic” now" });
	assert.deepEqual(one("set {{options}}", "set {“a”: “b”}"), { options: '{"a": "b"}' });
	assert.deepEqual(one("run {{cmd}}", "`run uptime`"), { cmd: "uptime" });
	assert.deepEqual(one("run {{cmd}}", "```run uptime```"), { cmd: "uptime" });
	assert.deepEqual(one("run {{cmd}}", "run\u00a0uptime\u00a0now"), { cmd: "uptime\u00a0now" });
	assert.deepEqual(one("run {{cmd}}", "run ls sudo=“true”"), { cmd: "ls", sudo: "true" });
});

test("pairs at the end are parameters of the action, and win", () => {
	assert.deepEqual(one("run {{cmd}}", 'run ls timeout=5 cwd="/var/my files"'), { cmd: "ls", timeout: "5", cwd: "/var/my files" });
	assert.deepEqual(one("run {{cmd}}", "run ls cmd=pwd"), { cmd: "pwd" });
	assert.deepEqual(one("run {{cmd}}", 'run ls env={"A": "x y"} hosts=[1, 2]'), { cmd: "ls", env: '{"A": "x y"}', hosts: "[1, 2]" });
	assert.deepEqual(one("run {{cmd}}", "run ls a=1 a=2"), { cmd: "ls", a: "2" });
	// In the middle they are text like other text.
	assert.deepEqual(one("run {{cmd}}", "run env A=1 ls"), { cmd: "env A=1 ls" });
	assert.deepEqual(one("open {{url}}", "open http://x.test/?a=b&c=d"), { url: "http://x.test/?a=b&c=d" });
	assert.deepEqual(one("say {{text}}", 'say "a b=c"'), { text: "a b=c" });
	assert.deepEqual(one("say {{text}}", "say x="), { text: "x=" });
	// The format asks for it itself.
	assert.deepEqual(one("make vm size={{size}} in {{zone}}", "make vm size=3 in eu"), { size: "3", zone: "eu" });
	assert.deepEqual(one("make vm size={{size}}", "make vm size=3 name=a"), { size: "3", name: "a" });
	assert.deepEqual(one("make vm size={{size}}", "make vm size=3"), { size: "3" });
});

test("text of a format is a regular expression", () => {
	assert.deepEqual(one("(run|execute) {{cmd}}( please)?", "execute ls please"), { cmd: "ls" });
	assert.deepEqual(one("(?i)RUN {{cmd}}", "run LS"), { cmd: "LS" });
	assert.deepEqual(one("pack deploy {{repo}}( route {{message}})?", "pack deploy a/b"), { repo: "a/b" });
	assert.deepEqual(one("pack deploy {{repo}}( route {{message}})?", "pack deploy a/b route to ops"), { repo: "a/b", message: "to ops" });
	assert.deepEqual(one("^issue (?P<key>[A-Z]+-\\d+)$", "issue OPS-12"), { key: "OPS-12" });
	assert.equal(one("issue (?<key>[A-Z]+-\\d+)", "issue 12"), undefined);
	assert.deepEqual(one("files? of {{ who }}", "file of ada"), { who: "ada" });
	assert.deepEqual(one("files?  ?of {{ who }}", "files of ada"), { who: "ada" });
	assert.deepEqual(one("a [ b]c {{x}}", "a  c d"), { x: "d" });
	assert.deepEqual(one("a {{x}}|b {{y}}", "b 2"), { y: "2" });
	// Who writes the anchors says what may stand beside them.
	assert.deepEqual(one("run {{cmd}}$", "run ls"), { cmd: "ls" });
});

test("a format that matches several times finds all of its occurrences", () => {
	assert.deepEqual(read("(?P<key>[A-Z]+-\\d+)", "look at OPS-1 and DEV-22, please", true), [{ key: "OPS-1" }, { key: "DEV-22" }]);
	assert.deepEqual(read("restart {{host}}", "restart web1 and restart 'web 2' now", true), [{ host: "web1" }, { host: "web 2" }]);
	assert.equal(read("restart {{host}}", "start web1", true), undefined);
});

test("what is no format is refused with what is wrong with it", () => {
	refuses("  ", /must not be empty/);
	refuses("run {{cmd", /"\{\{cmd" has no closing }}/);
	refuses("run {{}}", /must be \{\{ name \}\}/);
	refuses("run {{a b}}", /names consist of letters, digits and _/);
	refuses("run ({{cmd}}", /must be a regular expression/);
	refuses("x".repeat(2_001), /at most 2000 characters, got 2001/);
	refuses("{{a}} ".repeat(51), /at most 50 values/);
	assert.throws(() => readCommand("x".repeat(16_385)), /command: must have at most 16384 characters, got 16385/);
});

test.run();
