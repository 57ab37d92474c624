import { test } from "uvu";
import { assertRerun, failing, flow } from "./flow.test-support.ts";

const parallel = flow("a1: ok a2", "a2: ok a3", "a3", "b1: ok b2", "b2: ok b3", "b3");
const join = flow("a: ok b c", "b: ok b2", "b2: ok d", "c: ok c2", "c2: ok d", "d*all: ok e", "e");
const split = flow("a: ok b c", "b: ok d", "c: ok d", "d: ok e f", "e: ok g", "f: ok g", "g*all");
const loop = flow("lead: ok a", "a: bad a; ok b", "b: ok c", "c");

/** A run that fails, and what came of it in the end. */
const cases = (first: string, second: string) => `\n- { name: it fails, ${first} }\n- { name: again, ${second} }`;
const failed = (tasks: string, came: string) => `${failing(tasks)}, expect: { status: failed, tasks: [${came}] }`;
const tasks = (came: string) => `expect: { status: succeeded, tasks: [${came}], errors: [] }`;

test("what has failed runs again, and what comes after it", async () => {
	await assertRerun("a sequence", flow("a: ok b", "b: ok c", "c"), ["b"], cases(failed("b", "a, b"), tasks("a, b, c")));
	await assertRerun("one branch", parallel, ["b2"], cases(failed("b2", "a1, b1, a2, b2"), tasks("a1, b1, a2, a3, b2, b3")));
	await assertRerun("both branches", parallel, ["a2", "b2"], cases(failed("a2 b2", "a1, b1, a2, b2"), tasks("a1, b1, a2, b2, a3, b3")));
	await assertRerun("before a join", join, ["b2"], cases(failed("b2", "a, b, c, b2, c2"), tasks("a, b, c, c2, b2, d, e")));
	await assertRerun("several before a join", join, ["b2", "c2"], cases(failed("b2 c2", "a, b, c, b2, c2"), tasks("a, b, c, b2, c2, d, e")));
	await assertRerun("a join", join, ["d"], cases(failed("d", "a, b, c, b2, c2, d"), tasks("a, b, c, b2, c2, d, e")));
	await assertRerun("in a loop", loop, ["b"], cases(failed("b", "lead, a, b"), tasks("lead, a, b, c")));
});

test("a task that ran once for each way runs again on each, or where it has failed", async () => {
	const before = "a, b, c, d__r1, d__r2, e__r1, e__r2, f__r1, f__r2";
	const one = `results: [{ task: e, route: 2, status: failed }], expect: { status: failed, tasks: [${before}] }`;
	const kept = "a, b, c, d__r1, d__r2";
	await assertRerun("by its name, on each way", split, ["e"], cases(one, tasks(`${kept}, f__r1, f__r2, e__r1, e__r2, g__r1, g__r2`)));
	await assertRerun("only what has failed", split, [], cases(one, tasks(`${kept}, e__r1, f__r1, f__r2, e__r2, g__r1, g__r2`)));
});

test("without names all that has failed runs again", async () => {
	await assertRerun("a join", join, [], cases(failed("b2 c2", "a, b, c, b2, c2"), tasks("a, b, c, b2, c2, d, e")));
});

test.run();
