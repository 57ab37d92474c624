import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject } from "../../contract/index.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

async function withEngine(run: (service: TestEngine) => Promise<void>): Promise<void> {
	const service = await startEngine();
	try {
		await run(service);
	} finally {
		await service.stop();
	}
}

const refusal = (pattern: RegExp) => (error: unknown) => isSvcError(error, "SVC_INVALID") && pattern.test(error.message);

exceptOnPostgres("an event becomes an instance in a trace of its own", () =>
	withEngine(async ({ engine }) => {
		const { instance, isNew } = await engine.dispatcher.dispatch({
			trigger: "core.svc.generic.inquiry",
			payload: { id: "1", route: "operators" },
		});
		assert.ok(isNew);
		assert.equal(instance.trigger, "core.svc.generic.inquiry");
		assert.equal(instance.depth, 0);
		assert.equal(instance.unique_key, instance.id);
	}),
);

test("events with the same key are one event, however parallel", () =>
	withEngine(async ({ engine }) => {
		const event = { trigger: "core.svc.generic.inquiry", payload: { id: "1", route: "r" }, uniqueKey: "same" };
		const outcomes = await Promise.all(Array.from({ length: 50 }, () => engine.dispatcher.dispatch(event)));
		assert.equal(outcomes.filter(({ isNew }) => isNew).length, 1);
		assert.equal(new Set(outcomes.map(({ instance }) => instance.id)).size, 1);
	}));

const refusals = [
	["an unknown trigger", "core.nothing", {}, /"core\.nothing"/],
	["a type whose parameters are missing", "core.svc.webhook", {}, /has parameters/],
	["a type with parameters no rule has", { type: "core.svc.webhook", parameters: { url: "x" } }, {}, /no rule uses/],
	["a payload without a required member", "core.svc.generic.inquiry", { id: "1" }, /payload: .*route/],
	["a payload with a member of a wrong type", "core.svc.generic.inquiry", { id: 1, route: "r" }, /payload\.id: must be string/],
	["a payload with an unknown member", "core.svc.generic.inquiry", { id: "1", route: "r", x: 1 }, /"x"/],
] as const;

exceptOnPostgres("an event of an unknown trigger, or whose payload does not fit, is refused", () =>
	withEngine(async ({ engine }) => {
		for (const [what, trigger, payload, problem] of refusals)
			await assert.rejects(engine.dispatcher.dispatch({ trigger, payload: payload as JsonObject }), refusal(problem), what);
	}),
);

exceptOnPostgres("a trace that does not exist is refused, a tag begins a new one each time", () =>
	withEngine(async ({ engine }) => {
		const event = { trigger: "core.svc.generic.inquiry", payload: { id: "1", route: "r" } };
		const unknown = engine.dispatcher.dispatch({ ...event, trace: { id_: "0".repeat(24) } });
		await assert.rejects(unknown, refusal(/trace "0+" does not exist/));
		const tagged = await Promise.all([1, 2].map(() => engine.dispatcher.dispatch({ ...event, trace: { trace_tag: "ticket" } })));
		assert.notEqual(tagged[0]?.instance.trace_id, tagged[1]?.instance.trace_id);
		const joined = await engine.dispatcher.dispatch({ ...event, trace: { id_: tagged[0]?.instance.trace_id ?? "" } });
		assert.equal(joined.instance.trace_id, tagged[0]?.instance.trace_id);
	}),
);

exceptOnPostgres("an event that an execution causes joins its trace", () =>
	withEngine(async ({ engine, submit }) => {
		const execution = await submit();
		const { instance } = await engine.dispatcher.dispatch({
			trigger: "core.svc.generic.inquiry",
			payload: { id: "1", route: "r" },
			causedBy: { executionId: execution.id },
		});
		assert.equal(instance.trace_id, execution.trace_id);
		assert.equal(instance.caused_by_id, execution.id);
	}),
);

exceptOnPostgres("what nothing listens to is not drafted", () =>
	withEngine(async ({ engine }) => {
		const draft = await engine.dispatcher.draft({ trigger: "core.svc.generic.actiontrigger", payload: {} });
		assert.equal(draft, undefined);
	}),
);

test.run();
