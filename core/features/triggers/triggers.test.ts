import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { administrator, withRules } from "../rules/rules.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const refusal = (pattern: RegExp) => (error: unknown) => isSvcError(error, "SVC_INVALID") && pattern.test(error.message);
const hook = "core.svc.webhook";

const unreadable = [
	["core.svc.CronTimer", { minute: "every" }, /minute/],
	["core.svc.CronTimer", { timezone: "Mars/Olympus" }, /timezone/],
	["core.svc.IntervalTimer", { unit: "seconds", delta: 0 }, /delta/],
	["core.svc.DateTimer", { date: "tomorrow" }, /date/],
] as const;

exceptOnPostgres("a trigger with an unreadable schedule is refused", () =>
	withRules(async ({ engine }) => {
		const { triggers } = engine.triggers;
		const { ref } = await triggers.create({ type: "core.svc.IntervalTimer", parameters: { unit: "weeks", delta: 1 } });
		for (const [type, parameters, problem] of unreadable) {
			await assert.rejects(triggers.create({ type, parameters }), refusal(problem));
			await assert.rejects(triggers.update(ref, { type, parameters }), refusal(problem));
		}
		assert.deepEqual((await triggers.get(ref)).parameters, { unit: "weeks", delta: 1 });
	}),
);

exceptOnPostgres("the trigger of a type without parameters stays as long as its type", () =>
	withRules(async ({ engine }) => {
		const { triggers, types } = engine.triggers;
		for (const ref of ["core.svc.generic.inquiry", "default.happening"]) {
			await assert.rejects(triggers.remove(ref), refusal(/belongs to its trigger type/));
			await assert.rejects(triggers.update(ref, { type: ref, name: "other" }), refusal(/belongs to its trigger type/));
		}
		await types.remove("default.happening");
		await assert.rejects(triggers.get("default.happening"), (error) => isSvcError(error, "SVC_NOT_FOUND"));
	}),
);

test("of two changes of a trigger type at once, one may be refused, with the reason", () =>
	withRules(async ({ engine }) => {
		const { types } = engine.triggers;
		const parameters_schema = { type: "object", properties: { a: { type: "string" } } };
		await types.create({ pack: "default", name: "raced", parameters_schema });
		// Without parameters the type has a trigger of its own, which only one of them can insert.
		const changes = await Promise.allSettled([1, 2, 3].map(() => types.update("default.raced", { pack: "default", name: "raced" })));
		const refused = changes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
		assert.ok(refused.length < 3);
		for (const { reason } of refused) assert.match(`${reason}`, /"default\.raced" was changed concurrently; try again/);
		assert.equal((await types.get("default.raced")).name, "raced");
		assert.equal((await engine.triggers.triggers.get("default.raced")).type, "default.raced");
	}));

exceptOnPostgres("a trigger keeps its name and its type while rules use it", () =>
	withRules(async ({ engine, addRule }) => {
		const { triggers } = engine.triggers;
		const rule = await addRule({ trigger: { type: hook, parameters: { url: "a" } } });
		const { trigger } = await engine.rules.get(rule);
		const ref = trigger?.ref ?? "";
		await assert.rejects(
			triggers.update(ref, { type: hook, name: "other", parameters: { url: "a" } }),
			refusal(/while rules use it \(1\)/),
		);
		const changed = await triggers.update(ref, { type: hook, parameters: { url: "b" } });
		assert.deepEqual([changed.ref, changed.parameters], [ref, { url: "b" }]);
		const next = { name: "rule_1", trigger: { type: hook, parameters: { url: "c" } }, action: { ref: "default.said" } };
		await engine.rules.update(rule, next, administrator);
		await assert.rejects(triggers.get(ref), (error) => isSvcError(error, "SVC_NOT_FOUND"));
	}),
);

exceptOnPostgres("the mask that comes back stands for the secret", () =>
	withRules(async ({ engine }) => {
		const { triggers, types } = engine.triggers;
		const parameters_schema = { type: "object", properties: { pin: { type: "string", secret: true }, n: { type: "integer" } } };
		await types.create({ pack: "default", name: "guarded", parameters_schema });
		const { ref } = await triggers.create({ type: "default.guarded", parameters: { pin: "4711", n: 1 } });
		await triggers.update(ref, { type: "default.guarded", parameters: { pin: "********", n: 2 } });
		assert.deepEqual((await triggers.get(ref)).parameters, { pin: "4711", n: 2 });
	}),
);

exceptOnPostgres("an event is emitted again only while its trigger is of the same type", () =>
	withRules(async ({ engine }) => {
		const { triggers, instances } = engine.triggers;
		const own = { name: "pre", pack: "default", type: "default.happening", parameters: { n: 1 } };
		await engine.triggers.types.update("default.happening", {
			...{ pack: "default", name: "happening" },
			parameters_schema: { type: "object", properties: { n: { type: "integer" } } },
		});
		await triggers.create(own);
		const payload = { body: { forged: true } };
		const { instance } = await engine.dispatcher.dispatch({ trigger: "default.pre", payload });
		assert.deepEqual((await instances.reEmit(instance.id, { username: "maria" })).payload["body"], payload.body);
		const signature = { scheme: "github", secret_keys: ["k"] };
		await triggers.update("default.pre", { name: "pre", type: hook, parameters: { url: "a", signature } });
		await assert.rejects(
			instances.reEmit(instance.id, { username: "maria" }),
			refusal(/trigger type "default.happening", which trigger "default.pre" no longer has/),
		);
	}),
);

test("events whose trigger, or whose rule, is deleted while they wait are processed all the same", () =>
	withRules(async ({ engine, addRule, processed }) => {
		const rule = await addRule();
		const { trigger } = await engine.rules.get(await addRule({ trigger: { type: hook, parameters: { url: "a" } } }));
		const delivery = { headers: {}, query: {}, bytes: Buffer.from("{}"), body: {}, traceTag: undefined, principal: administrator };
		const receipts = await Promise.all(Array.from({ length: 100 }, () => engine.webhooks.receive("a", delivery)));
		const happened = await Promise.all(
			Array.from({ length: 100 }, () => engine.dispatcher.dispatch({ trigger: "default.happening", payload: { n: 1 } })),
		);
		await Promise.all([engine.triggers.triggers.remove(trigger?.ref ?? ""), engine.rules.remove(rule)]);
		const instances = [...receipts.flatMap((receipt) => receipt.instances), ...happened.map(({ instance }) => instance)];
		for (const { id } of instances) assert.equal((await processed(id)).status, "processed");
	}));

test.run();
