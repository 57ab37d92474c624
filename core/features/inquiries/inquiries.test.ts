import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { isSvcError, type JsonObject } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

async function withInquiries(
	run: (setup: TestEngine & { ask(parameters?: JsonObject): Promise<string> }) => Promise<void>,
	options: object = {},
) {
	const started = await startEngine({ runners: [inquirer()], options });
	const ask = async (parameters: JsonObject = {}) => {
		const { id } = await started.submit(parameters, { action: "core.ask" });
		await started.settled(id, "pending");
		return id;
	};
	try {
		await run({ ...started, ask });
	} finally {
		await started.stop();
	}
}

const named = (username: string, roles?: readonly string[]): Principal => ({ ...principal, username, ...(roles && { roles }) });
const refuses = (pattern: RegExp, code: string) => (error: unknown) =>
	isSvcError(error) && error.code === code && pattern.test(error.message);

test("a question is pending, holds no lease, and is answered once", async () => {
	await withInquiries(async ({ engine, ask, settled }) => {
		const id = await ask({ route: "night-shift", ttl: 5 });
		const { entity } = await engine.executions.get(id);
		assert.deepEqual([entity.owner, entity.fence, entity.lease_expires_at, entity.end_timestamp], [null, null, null, null]);
		assert.deepEqual(
			entity.log.map(({ status }) => status),
			["requested", "scheduled", "running", "pending"],
		);
		const { schema, secrets: _secrets, ...inquiry } = await engine.inquiries.get(id);
		assert.deepEqual(inquiry, { id, route: "night-shift", ttl: 5, users: [], roles: [] });
		assert.equal(schema["title"], "response_data");
		assert.deepEqual((await engine.inquiries.respond(id, { continue: false }, principal)).response, { continue: false });
		const answered = await settled(id);
		assert.equal(answered.status, "succeeded");
		assert.deepEqual(answered.result, { ...entity.result, response: { continue: false } });
		assert.ok(answered.end_timestamp !== null);
		await assert.rejects(
			engine.inquiries.respond(id, { continue: true }, principal),
			refuses(/has already been responded to/, "SVC_INVALID"),
		);
	});
});

test("of many answers at once exactly one wins", async () => {
	await withInquiries(async ({ engine, ask, settled }) => {
		const id = await ask({ schema: { properties: { number: { type: "integer", required: true } } } });
		const answers = await Promise.allSettled(
			Array.from({ length: 50 }, (_, number) => engine.inquiries.respond(id, { number }, principal)),
		);
		const won = answers.filter((answer) => answer.status === "fulfilled");
		assert.equal(won.length, 1);
		assert.deepEqual((await settled(id)).result?.["response"], won[0]?.value.response);
	});
});

exceptOnPostgres("an answer that does not fit changes nothing, and defaults of the schema are filled in", async () => {
	await withInquiries(async ({ engine, ask, settled }) => {
		const id = await ask({
			schema: {
				properties: {
					go: { type: "boolean", required: true },
					count: { type: "integer", default: 3 },
					pin: { type: "string", secret: true, maxLength: 4 },
				},
			},
		});
		await assert.rejects(
			engine.inquiries.respond(id, {}, principal),
			refuses(
				new RegExp(`^Response for inquiry "${id}" did not pass schema validation. response: must have required property 'go'`),
				"SVC_INVALID",
			),
		);
		await assert.rejects(engine.inquiries.respond(id, { go: "x" }, principal), refuses(/response.go: must be boolean/, "SVC_INVALID"));
		await assert.rejects(
			engine.inquiries.respond(id, { go: true, pin: "secret" }, principal),
			(error: Error) => !error.message.includes("secret"),
		);
		assert.equal((await engine.executions.get(id)).entity.status, "pending");
		await engine.inquiries.respond(id, { go: true }, principal);
		assert.deepEqual((await settled(id)).result?.["response"], { go: true, count: 3 });
	});
});

exceptOnPostgres("users and roles say who may answer; both must fit when both are given", async () => {
	await withInquiries(async ({ engine, ask }) => {
		const id = await ask({ users: ["ann", "bob"], roles: ["ops"] });
		const refused = refuses(/does not have permission to respond to inquiry/, "SVC_FORBIDDEN");
		for (const who of [named("carl", ["ops"]), named("ann", ["dev"]), named("ann", [])])
			await assert.rejects(engine.inquiries.respond(id, { continue: true }, who), refused);
		// Whether the answer fits is nobody's business who was not asked.
		await assert.rejects(engine.inquiries.respond(id, {}, named("carl")), refused);
		await engine.inquiries.respond(id, { continue: true }, named("bob", ["dev", "ops"]));
		const open = await ask({ roles: ["ops"] });
		await engine.inquiries.respond(open, { continue: true }, named("without-access-control"));
	});
});

exceptOnPostgres("lists hold what waits, the oldest first", async () => {
	await withInquiries(async ({ engine, ask, submit, settled }) => {
		const ids = [await ask(), await ask({ route: "b" }), await ask()];
		await settled((await submit()).id);
		const { items, total } = await engine.inquiries.list({ limit: 2 });
		assert.deepEqual([items.map(({ id }) => id), total, items[1]?.route], [ids.slice(0, 2), 3, "b"]);
		await engine.inquiries.respond(ids[0] ?? "", { continue: true }, principal);
		assert.equal((await engine.inquiries.list({})).total, 2);
	});
});

exceptOnPostgres("what is no inquiry is said so", async () => {
	await withInquiries(async ({ engine, submit }) => {
		const { id } = await submit();
		await assert.rejects(engine.inquiries.get(id), refuses(new RegExp(`^Action execution "${id}" is not an inquiry.$`), "SVC_INVALID"));
		await assert.rejects(engine.inquiries.respond("0".repeat(24), {}, principal), refuses(/cannot be found/, "SVC_NOT_FOUND"));
	});
});

exceptOnPostgres("a question with a schema that is none fails instead of waiting for ever", async () => {
	await withInquiries(async ({ submit, settled }) => {
		const { id } = await submit({ schema: { properties: { a: { type: "nothing" } } } }, { action: "core.ask" });
		const { status, result } = await settled(id);
		assert.equal(status, "failed");
		assert.match(String(result?.["error"]), /schema/);
	});
});

exceptOnPostgres("a pending question cannot be ended from outside, nor canceled by others than administrators", async () => {
	await withInquiries(async ({ engine, ask }) => {
		const id = await ask();
		const user = { ...principal, isAdmin: false };
		const { refused } = await engine.executions.cancel(id, user);
		assert.match(refused ?? "", /cannot be canceled in state "pending"/);
		for (const status of ["canceling", "canceled", "succeeded", "failed"] as const) {
			await assert.rejects(engine.executions.setStatus(id, { status }, user), refuses(/^status: /, "SVC_INVALID"));
		}
		for (const status of ["succeeded", "failed"] as const) {
			await assert.rejects(engine.executions.setStatus(id, { status }, principal), refuses(/^status: /, "SVC_INVALID"));
		}
		assert.equal((await engine.executions.get(id)).entity.status, "pending");
	});
});

exceptOnPostgres("an administrator cancels a question that needs no answer any more", async () => {
	await withInquiries(async ({ engine, ask, settled }) => {
		for (const cancel of [
			(id: string) => engine.executions.cancel(id, principal),
			(id: string) => engine.executions.setStatus(id, { status: "canceled" }, principal),
		]) {
			const id = await ask();
			await cancel(id);
			const { status, context, end_timestamp } = await settled(id);
			assert.deepEqual([status, context["cancelled_by"]], ["canceled", principal.username]);
			assert.ok(end_timestamp);
			await assert.rejects(
				engine.inquiries.respond(id, { continue: true }, principal),
				refuses(/cannot be responded to|already|canceled/, "SVC_INVALID"),
			);
			assert.ok(!(await engine.inquiries.list({ limit: 100 })).items.some((inquiry) => inquiry.id === id));
		}
	});
});

exceptOnPostgres("a question with a parent is answered without it", async () => {
	await withInquiries(async ({ engine, submit, settled }) => {
		const parent = await submit();
		const { id } = await submit({}, { action: "core.ask", context: { parent: { execution_id: parent.id } } });
		await settled(id, "pending");
		assert.equal(await engine.inquiries.parentAction(id), "default.scripted");
		await engine.inquiries.respond(id, { continue: true }, principal);
		assert.equal((await settled(id)).status, "succeeded");
	});
});

exceptOnPostgres("a question dispatches its trigger, in a trace of its own", async () => {
	const { storage, submit, settled, stop } = await startEngine({ runners: [inquirer()] });
	try {
		const { id } = await submit({ route: "night-shift" }, { action: "core.ask" });
		await settled(id, "pending");
		const [instance, ...more] = await storage.find("trigger_instance", { where: { trigger: "core.svc.generic.inquiry" } });
		assert.deepEqual([instance?.payload, more], [{ id, route: "night-shift" }, []]);
		assert.equal((await storage.get("trace", instance?.trace_id ?? ""))?.trace_tag, `inquiry-${id}`);
	} finally {
		await stop();
	}
});

test.run();
