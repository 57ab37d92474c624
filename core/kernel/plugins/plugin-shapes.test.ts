import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findShapeProblems } from "./plugin-shapes.ts";

const runner = { description: "Runs.", parameters: {}, capabilities: {}, run: async () => ({ succeeded: true, result: {} }) };
const whole = { inspect() {}, graph() {}, progress() {} };

const problemsOf = (more: object) => findShapeProblems("runners[0]", { kind: "runner", name: "x" }, { ...runner, ...more });

test("a runner that promises workflows can be canceled and gone on with", () => {
	const recover = async () => undefined;
	assert.deepEqual(problemsOf({ capabilities: { workflow: true, recovery: true, cancellation: true }, recover }), []);
	for (const capabilities of [{ workflow: true }, { workflow: true, recovery: true }, { workflow: true, cancellation: true }]) {
		assert.match(String(problemsOf({ capabilities, recover })), /workflow without recovery and cancellation; hint: capabilities/);
	}
});

test("what reads definitions is whole, and may be of a class", () => {
	class Definitions {
		inspect() {}
		graph() {}
		progress() {}
	}
	for (const definitions of [undefined, whole, new Definitions(), { ...whole, test() {} }])
		assert.deepEqual(problemsOf({ definitions }), []);
	assert.match(String(problemsOf({ definitions: "none" })), /definitions that are not an object/);
	assert.match(String(problemsOf({ definitions: { ...whole, graph: undefined } })), /without a method graph/);
	assert.match(String(problemsOf({ definitions: { ...whole, test: true } })), /without a method test/);
});

test("what runs sensors of packs names its files and makes the sensors", () => {
	const create = () => ({});
	for (const packSensors of [undefined, { suffixes: [".py"], create }]) assert.deepEqual(problemsOf({ packSensors }), []);
	for (const packSensors of [true, {}, { suffixes: ["py"], create }, { suffixes: ".py", create }, { suffixes: [".py"] }])
		assert.match(String(problemsOf({ packSensors })), /packSensors without suffixes and create; hint: packSensors/);
	assert.match(String(problemsOf({ prepare: true })), /a member prepare that is not a method/);
});

test.run();
