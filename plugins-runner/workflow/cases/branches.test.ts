import { test } from "uvu";
import { assertCases, failing, flow } from "./flow.test-support.ts";

const failed = (tasks: string, rest = "") => `${failing(tasks)}, expect: { ${rest}`;
const unreachable = (task: string) =>
	`{ task_id: ${task}, route: 0, message: 'UnreachableJoinError: The join task|route "${task}|0" is partially satisfied but unreachable.' }`;

const join = flow("a: ok b c", "b: ok b2", "b2: ok d", "c: ok c2", "c2: ok d", "d*all: ok e", "e");

test("a join waits for all that lead to it", async () => {
	await assertCases(
		"a join",
		join,
		`
- { name: all come, expect: { tasks: [a, b, c, b2, c2, d, e] } }
- { name: none comes, ${failed("b2 c2", "status: failed, tasks: [a, b, c, b2, c2], errors: [{ task_id: b2 }, { task_id: c2 }]")} } }
- { name: the left comes, ${failed("c2", `status: failed, tasks: [a, b, c, b2, c2], errors: [{ task_id: c2 }, ${unreachable("d")}]`)} } }
- { name: the right comes, ${failed("b2", `status: failed, tasks: [a, b, c, b2, c2], errors: [{ task_id: b2 }, ${unreachable("d")}]`)} } }`,
	);
	const anyhow = flow("a: ok b c", "b: ok b2", "b2: ok d; bad d; done d", "c: ok c2", "c2: ok d; bad d; done d", "d*all: ok e", "e");
	const all = "tasks: [a, b, c, b2, c2, d, e]";
	const rows = ["b2", "c2", "b2 c2"].map((tasks) => `- { name: ${tasks} fail, ${failed(tasks, all)} } }`);
	await assertCases("several ways of each", anyhow, `- { name: none fails, expect: { ${all} } }\n${rows.join("\n")}`);
	const complete = flow("a: ok b c", "b: ok b2", "b2: done d", "c: ok c2", "c2: done d", "d*all: ok e", "e");
	await assertCases("whatever comes", complete, `- { name: none fails, expect: { ${all} } }\n${rows.join("\n")}`);
});

test("a join has what all ways to it have published", async () => {
	const branch = (name: string) => `  ${name}: { action: core.noop, next: [{ publish: [{ ${name}: <% result().text %> }], do: d }] }`;
	const text = `tasks:
  a: { next: [{ publish: [{ first: 1 }], do: "b, c, e" }] }
${branch("b")}
${branch("c")}
${branch("e")}
  d: { join: all }
output: [{ texts: "<% list(ctx(first), ctx(b), ctx(c), ctx(e)) %>" }]`;
	const results = ["b", "c", "e"].map((task) => `{ task: ${task}, result: { text: from ${task} } }`).join(", ");
	await assertCases("texts", text, `- { name: all, results: [${results}], expect: { output: { texts: [1, from b, from c, from e] } } }`);
});

test("a join may be content with some", async () => {
	const some = flow(
		"a: ok b c f",
		"b: ok b2",
		"b2: ok d",
		"c: ok c2; bad noop",
		"c2: ok d; bad noop",
		"f: ok f2; bad noop",
		"f2: ok d; bad noop",
		"d*2",
	);
	const before = "a, b, c, f, b2, c2, f2";
	await assertCases(
		"two of three",
		some,
		`
- { name: one is left behind, results: [{ task: f2, status: running }], expect: { status: running, tasks: [${before}, d] } }
- { name: the second fails, ${failed("c2", `tasks: [${before}, d], errors: []`)} } }
- { name: the third fails, ${failed("f2", `tasks: [${before}, d], errors: []`)} } }
- { name: too few come, ${failed("c2 f2", `status: failed, tasks: [${before}], errors: [{ task_id: c2 }, { task_id: f2 }, ${unreachable("d")}]`)} } }
- { name: none comes, ${failed("b2 c2 f2", `status: failed, tasks: [${before}], errors: [{ task_id: b2 }, { task_id: c2 }, { task_id: f2 }]`)} } }`,
	);
	const ways = "ok d; bad d; done d";
	const complex = flow(
		"a: ok b c f",
		"b: ok b2; bad noop",
		`b2: ${ways}`,
		"c: ok c2; bad noop",
		`c2: ${ways}`,
		"f: ok f2; bad noop",
		`f2: ${ways}`,
		"d*2: ok e",
		"e",
	);
	const one = ["b", "c", "f"].map((task) => {
		const came = ["a", "b", "c", "f", ...["b", "c", "f"].filter((each) => each !== task).map((each) => `${each}2`), "d", "e"];
		return `- { name: ${task} fails, ${failed(task, `tasks: [${came.join(", ")}]`)} } }`;
	});
	const two = [
		["b", "c"],
		["b", "f"],
		["c", "f"],
	].map((tasks) => {
		const came = ["a", "b", "c", "f", ...["b", "c", "f"].filter((each) => !tasks.includes(each)).map((each) => `${each}2`)];
		return `- { name: ${tasks.join(" ")} fail, ${failed(tasks.join(" "), `status: failed, tasks: [${came.join(", ")}]`)} } }`;
	});
	await assertCases(
		"two of three, with several ways of each",
		complex,
		[`- { name: none fails, expect: { tasks: [${before}, d, e] } }`, ...one, ...two].join("\n"),
	);
});

test("a join may be for failures", async () => {
	const text = flow("a: ok b c", "b: ok b2", "b2: bad d", "c: ok c2", "c2: bad d", "d*all: ok e", "e");
	const before = "a, b, c, b2, c2";
	await assertCases(
		"both",
		text,
		`
- { name: none fails, expect: { tasks: [${before}] } }
- { name: the left fails, ${failed("b2", `status: failed, tasks: [${before}], errors: [{ task_id: b2 }, ${unreachable("d")}]`)} } }
- { name: the right fails, ${failed("c2", `status: failed, tasks: [${before}], errors: [{ task_id: c2 }, ${unreachable("d")}]`)} } }
- { name: both fail, ${failed("b2 c2", `tasks: [${before}, d, e], errors: []`)} } }`,
	);
});

test("a task to which several ways lead runs once for each", async () => {
	const split = flow("a: ok b c", "b: ok d", "c: ok d", "d: ok e f", "e: ok g", "f: ok g", "g*all");
	const both = "a, b, c, d__r1, d__r2, e__r1, e__r2, f__r1, f__r2";
	await assertCases(
		"two ways",
		split,
		`
- { name: both, expect: { tasks: [${both}, g__r1, g__r2] } }
- { name: one fails, results: [{ task: e, route: 2, status: failed }], expect: { status: failed, tasks: [${both}] } }
- { name: one of each fails, results: [{ task: e, route: 1, status: failed }, { task: f, route: 2, status: failed }], expect: { status: failed, tasks: [${both}] } }`,
	);
	await assertCases(
		"several tasks with several ways",
		flow("a: ok b c h", "b: ok d", "c: ok d", "d: ok e f", "e: ok g", "f: ok g", "g*all: ok h", "h"),
		"- { name: six routes, expect: { tasks: [a, b, c, h__r1, d__r2, d__r3, e__r2, e__r3, f__r2, f__r3, g__r2, g__r3, h__r4, h__r5] } }",
	);
	const mixed = flow("a: ok c", "b: ok c", "c: ok d; bad d", "d: ok e", "e");
	await assertCases(
		"ways for success and failure",
		mixed,
		`
- { name: both succeed, expect: { tasks: [a, b, c__r1, c__r2, d__r3, d__r4, e__r3, e__r4] } }
- { name: one fails, results: [{ task: c, route: 1, status: failed }], expect: { tasks: [a, b, c__r1, c__r2, d__r3, d__r4, e__r3, e__r4] } }`,
	);
	const four = (name: string) => [3, 4, 5, 6].map((route) => `${name}__r${route}`).join(", ");
	await assertCases(
		"one within another",
		flow("a: ok b c", "b: ok d", "c: ok d", "d: ok e f", "e: ok g", "f: ok g", "g: ok h i", "h: ok j", "i: ok j", "j*all"),
		`- { name: seven routes, expect: { tasks: [${both}, ${four("g")}, ${four("h")}, ${four("i")}, ${four("j")}] } }`,
	);
	await assertCases(
		"several ways from one task",
		flow("a: ok c", "b: ok c", "c: ok d; any d", "d: ok e f", "e: ok g", "f: ok g", "g*all"),
		`- { name: seven routes, expect: { tasks: [a, b, c__r1, c__r2, ${four("d")}, ${four("e")}, ${four("f")}, ${four("g")}] } }`,
	);
	const twice = flow("a: ok b; done b; bad c; done c", "b", "c");
	await assertCases(
		"the same twice, of one task",
		twice,
		`
- { name: it succeeds, expect: { tasks: [a, b__r1, b__r2, c__r3] } }
- { name: it fails, ${failing("a")}, expect: { tasks: [a, b__r1, c__r2, c__r3] } }`,
	);
	const levels = Array.from({ length: 6 }, (_, index) =>
		flow(`s${index}: ok l${index} r${index}`, `l${index}: ok s${index + 1}`, `r${index}: ok s${index + 1}`).replace("tasks:\n", ""),
	);
	await assertCases(
		"very many",
		`tasks:\n${levels.join("")}  s6: {action: core.noop}\n`,
		`
- { name: all, expect: { status: succeeded } }
- { name: one fails, results: [{ task: s6, route: 70, status: failed }], expect: { status: failed, errors: [{ task_id: s6 }] } }`,
	);
});

test.run();
