import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { TaskState } from "../../contract/index.ts";
import { type ShownGraph, toGraphText, toMermaid } from "./commands.ts";

const node = { action: null, join: null, items: null, is_start: false } as const;
const graph: ShownGraph = {
	nodes: [
		{ ...node, id: "fetch", kind: "task", action: "core.http", is_start: true },
		{ ...node, id: "end", kind: "task", action: "core.local", join: "all", items: "<% ctx(list)\n  .list() %>" },
		{ ...node, id: "fail", kind: "command" },
	],
	edges: [
		{ from: "fetch", to: "end", transition: 0, when: '<% succeeded() and\n ctx(a) = "b" %>' },
		{ from: "fetch", to: "fail", transition: 1, when: null },
	],
};
const task = { status: "succeeded", items: { total: 3, succeeded: 3, failed: 0, active: 0 } } as TaskState;

test("a graph is drawn as lines, each task with what it leads to", () => {
	assert.equal(
		toGraphText(graph),
		[
			"fetch  core.http  starts",
			'├─ <% succeeded() and ctx(a) = "b" %> → end',
			"└─ → fail",
			"end  core.local  for each of <% ctx(list) .list() %>  joins all",
			"",
		].join("\n"),
	);
	assert.equal(toGraphText({ nodes: [], edges: [] }), "");
});

test("the graph of a run says what has become of each task, and what was taken", () => {
	const nodes = graph.nodes.map((one) => (one.id === "end" ? { ...one, tasks: [task] } : one));
	const edges = graph.edges.map((edge) => ({ ...edge, taken: edge.to === "end" ? 2 : 1 }));
	assert.match(toGraphText({ nodes, edges }), /→ end \(taken 2 times\)\n└─ → fail \(taken\)\nend {2}.* {2}\[succeeded \(3 of 3\)\]\n$/);
	const mermaid = toMermaid({ nodes, edges });
	assert.match(mermaid, /^ {4}class n1 succeeded$/m);
	assert.match(mermaid, /^ {4}n0 ==>\|/m);
	assert.match(mermaid, /^ {4}classDef succeeded fill/m);
});

test("a diagram holds no sign that its language could take for one of its own", () => {
	assert.equal(
		toMermaid(graph),
		[
			"flowchart TD",
			'    n0(["fetch<br/>core.http"])',
			'    n1["end<br/>core.local"]',
			'    n2{{"fail"}}',
			'    n0 -->|"#60;#37; succeeded() and ctx(a) = #34;b#34; #37;#62;"| n1',
			"    n0 --> n2",
			"",
		].join("\n"),
	);
});

test.run();
