import { test } from "uvu";
import { assertCases, failing, flow } from "./flow.test-support.ts";

const parallel = flow("a1: ok a2", "a2: ok a3", "a3", "b1: ok b2", "b2: ok b3", "b3");

const decision = `
input: [color]
tasks:
  look:
    next:
      - { when: <% ctx(color) = red %>, do: stop }
      - { when: <% ctx(color) = green %>, do: go }
      - { when: "<% not ctx(color) in list(red, green) %>", do: wait }
  stop: {}
  go: {}
  wait: {}
`;

const laps = `
vars: [{ lap: 0 }]
tasks:
  lead: { next: [{ do: one }] }
  one: { action: core.noop, next: [{ when: <% succeeded() %>, do: two }] }
  two: { action: core.noop, next: [{ when: <% succeeded() %>, do: three }] }
  three:
    action: core.noop
    next:
      - when: <% succeeded() and ctx(lap) < 2 %>
        publish: lap=<% ctx(lap) + 1 %>
        do: one
output: [{ laps: <% ctx(lap) %> }]
`;

const innerLaps = `
vars: [{ lap: 0 }]
tasks:
  lead: { next: [{ do: begin }] }
  begin: { next: [{ publish: [{ isReady: false }], do: look }] }
  look:
    next:
      - { when: <% not ctx(isReady) %>, do: prepare }
      - { when: <% ctx(isReady) %>, do: work }
  prepare: { next: [{ do: wait }] }
  wait: { next: [{ publish: [{ isReady: true }], do: look }] }
  work: { next: [{ when: <% ctx(lap) < 2 %>, publish: [{ lap: <% ctx(lap) + 1 %> }], do: begin }] }
`;

const fork = `
vars: [{ more: false }]
tasks:
  lead: { next: [{ do: ask }] }
  ask:
    action: core.noop
    next: [{ publish: more=<% result().more %>, do: "left, right" }]
  left: { next: [{ when: <% ctx(more) %>, do: cheer }] }
  right: { next: [{ when: <% ctx(more) %>, do: [tell, toil] }] }
  cheer: {}
  tell: {}
  toil: { next: [{ do: ask }] }
`;

const greeting = `
input: [name]
tasks:
  one: { action: core.echo message=<% ctx(name) %>, next: [{ when: <% succeeded() %>, publish: said=<% result().text %>, do: two }] }
  two: { action: core.noop, next: [{ when: <% succeeded() %>, publish: [{ all: "<% ctx(said) %>, welcome" }] }] }
output: [{ greeting: <% ctx().get(all) %> }]
`;

test("tasks run one after another, beside each other, and as conditions say", async () => {
	const said = "{ task: one, result: { text: Ann } }";
	await assertCases(
		"a sequence",
		greeting,
		`
- { name: to its end, input: { name: Ann }, results: [${said}], expect: { output: { greeting: "Ann, welcome" }, tasks: [one, two], errors: [] } }
- { name: a task fails, results: [${said}, { task: two, status: failed }], expect: { status: failed, output: { greeting: null }, tasks: [one, two], errors: [{ task_id: two }] } }`,
	);
	await assertCases(
		"two ways",
		parallel,
		`
- { name: both, expect: { tasks: [a1, b1, a2, b2, a3, b3], output: null } }
- { name: one fails, ${failing("b2")}, expect: { status: failed, tasks: [a1, b1, a2, b2] } }`,
	);
	await assertCases("branches", flow("a: ok b c", "b: ok d", "c: ok e", "d", "e"), "- { name: all, expect: { tasks: [a, b, c, d, e] } }");
	await assertCases(
		"a decision",
		decision,
		`
- { name: one, input: { color: red }, expect: { tasks: [look, stop] } }
- { name: another, input: { color: green }, expect: { tasks: [look, go] } }
- { name: none of them, input: { color: blue }, expect: { tasks: [look, wait] } }
- { name: nothing, expect: { tasks: [look, wait] } }`,
	);
});

test("loops go on as long as they should", async () => {
	const tasks = "[lead, one, two, three, one, two, three, one, two, three]";
	await assertCases(
		"a loop",
		laps,
		`
- { name: to its end, expect: { tasks: ${tasks}, output: { laps: 2 } } }
- { name: the second lap fails, results: [{ task: two, occurrence: 2, status: failed }], expect: { status: failed, tasks: [lead, one, two, three, one, two], output: { laps: 1 } } }`,
	);
	const lap = "begin, look, prepare, wait, look, work";
	await assertCases("a loop in a loop", innerLaps, `- { name: to its end, expect: { tasks: [lead, ${lap}, ${lap}, ${lap}] } }`);
	await assertCases(
		"a task that comes after itself",
		flow("lead: ok a", "a: bad a; ok b", "b"),
		"- { name: the third time, results: [{ task: a, occurrence: 1, status: failed }, { task: a, occurrence: 2, status: failed }], expect: { tasks: [lead, a, a, a, b] } }",
	);
	const asked = "results: [{ task: ask, result: { more: true } }, { task: ask, result: { more: false } }]";
	await assertCases(
		"a loop with ways out of it",
		fork,
		`- { name: once more, ${asked}, expect: { tasks: [lead, ask, left, right, cheer, tell, toil, ask, left, right] } }`,
	);
	await assertCases(
		"a check beside what it waits for",
		flow("init: ok check create", "check: ok delete; bad rollback", "rollback: ok check", "create", "delete"),
		"- { name: the second time, results: [{ task: check, status: failed }, { task: check }], expect: { tasks: [init, check, create, rollback, check, delete] } }",
	);
});

test("failures are answered by transitions and commands", async () => {
	await assertCases(
		"a task for failures",
		flow("a: ok b; bad repair", "b", "repair"),
		`
- { name: nothing fails, expect: { tasks: [a, b] } }
- { name: it is repaired, ${failing("a")}, expect: { tasks: [a, repair], errors: [] } }`,
	);
	const message = (command: string) => `
vars: [{ message: null }]
tasks:
  a:
    action: core.noop
    next:
      - { when: <% succeeded() %>, do: b }
      - { when: <% failed() %>, publish: [{ message: bad }], do: ${command} }
  b: { next: [{ publish: [{ message: good }] }] }
output: [{ message: <% ctx(message) %> }]`;
	const good = "{ name: nothing fails, expect: { tasks: [a, b], output: { message: good } } }";
	const bad = (expect: string) => `- { name: it fails, ${failing("a")}, expect: { tasks: [a], output: { message: bad }, ${expect} } }`;
	await assertCases("continue", message("continue"), `- ${good}\n${bad("status: failed, errors: [{ task_id: a }]")}`);
	await assertCases("noop", message("noop"), `- ${good}\n${bad("status: succeeded, errors: []")}`);
	await assertCases("fail", message("fail"), `- ${good}\n${bad("status: failed, errors: [{ task_id: a }, { task_id: fail }]")}`);
	const log = (next: string) => `tasks:
  a: { action: core.noop, next: [{ when: <% failed() %>, publish: error=<% result() %>, do: ${next} }] }
  log: { action: core.echo message=<% ctx(error) %>${next === "log" ? ", next: [{ do: fail }]" : ""} }`;
	const failed = "expect: { status: failed, tasks: [a, log], errors: [{ task_id: a }, { task_id: fail }] }";
	await assertCases("what failed is told, then it fails", log("log"), `- { name: it fails, ${failing("a")}, ${failed} }`);
	await assertCases("what failed is told, and it fails", log("[log, fail]"), `- { name: it fails, ${failing("a")}, ${failed} }`);
	const complete = flow("a: done b", "b");
	await assertCases(
		"whatever comes",
		complete,
		`- { name: it succeeds, expect: { tasks: [a, b] } }\n- { name: it fails, ${failing("a")}, expect: { tasks: [a, b] } }`,
	);
});

test.run();
