import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createClient } from "../../../plugins/_shipped/client.ts";
import { announcement } from "../../../plugins-runner/announcement/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";

const pinSchema = { properties: { go: { type: "boolean", required: true }, pin: { type: "string", secret: true } } };

async function ask({ ask: request }: ServiceUnderTest, parameters: object = {}): Promise<string> {
	const response = await request("/v1/executions", { method: "POST", body: JSON.stringify({ action: "core.ask", parameters }) });
	const { id } = (await response.json()) as { id: string };
	for (;;) {
		const { status } = (await (await request(`/v1/executions/${id}`)).json()) as { status: string };
		if (status === "pending") return id;
		assert.ok(["requested", "scheduled", "running"].includes(status), status);
	}
}

async function answer({ ask: request }: ServiceUnderTest, id: string, body: unknown) {
	const response = await request(`/v1/inquiries/${id}`, { method: "PUT", body: JSON.stringify(body) });
	return { status: response.status, body: (await response.json()) as WireRecord };
}

const run = (use: (service: ServiceUnderTest) => Promise<void>) => withService(use, { runners: [inquirer(), announcement()] });

test("questions are listed, looked at and answered", async () => {
	await run(async (service) => {
		const ids = [await ask(service, { route: "a", ttl: 1 }), await ask(service)];
		const list = await service.ask("/v1/inquiries?limit=1");
		assert.deepEqual([list.headers.get("x-total-count"), list.headers.get("x-limit")], ["2", "1"]);
		const [first] = (await list.json()) as WireRecord[];
		assert.deepEqual(Object.keys(first ?? {}), ["id", "route", "ttl", "users", "roles", "schema"]);
		assert.deepEqual(await (await service.ask(`/v1/inquiries/${ids[0]}`)).json(), first);
		const short = await service.ask("/v1/inquiries?include_attributes=route");
		assert.deepEqual(
			await short.json(),
			ids.map((id, index) => ({ id, route: index === 0 ? "a" : "" })),
		);
		const newestFirst = (await (await service.ask("/v1/inquiries?sort_desc=True")).json()) as WireRecord[];
		assert.deepEqual(
			newestFirst.map(({ id }) => id),
			ids.toReversed(),
		);
		assert.equal((await service.ask("/v1/inquiries?include_attributes=nothing")).status, 400);
		// Clients send the whole inquiry back with the answer in it.
		assert.deepEqual(await answer(service, ids[0] ?? "", { ...first, response: { continue: true } }), {
			status: 200,
			body: { id: ids[0], response: { continue: true } },
		});
		assert.equal(((await (await service.ask("/v1/inquiries")).json()) as unknown[]).length, 1);
		const again = await answer(service, ids[0] ?? "", { id: ids[0], response: { continue: true } });
		assert.deepEqual([again.status, again.body["faultstring"]], [400, `Inquiry "${ids[0]}" has already been responded to.`]);
		const wrong = await answer(service, ids[1] ?? "", { id: ids[1], response: { continue: "x" } });
		assert.equal(wrong.status, 400);
		assert.match(String(wrong.body["faultstring"]), /did not pass schema validation/);
		assert.equal((await answer(service, ids[1] ?? "", { response: {} })).status, 400);
		assert.equal((await answer(service, "0".repeat(24), { id: "", response: {} })).status, 404);
	});
});

test("an answer that is secret as a whole is answered by the mask", async () => {
	await run(async (service) => {
		const id = await ask(service, { schema: { type: "object", secret: true } });
		const { body } = await answer(service, id, { id, response: { pin: "do-not-show" } });
		assert.deepEqual(body, { id, response: "********" });
	});
});

test("secrets of an answer are masked wherever they are shown", async () => {
	await run(async (service) => {
		const id = await ask(service, { schema: pinSchema });
		const { body } = await answer(service, id, { id, response: { go: true, pin: "do-not-show" } });
		assert.deepEqual(body, { id, response: { go: true, pin: "********" } });
		for (const path of ["", "/result", "/attribute/result"]) {
			const text = await (await service.ask(`/v1/executions/${id}${path}`)).text();
			assert.ok(text.includes("********") && !text.includes("do-not-show"), path);
		}
		assert.ok((await (await service.ask(`/v1/executions/${id}?show_secrets=true`)).text()).includes("do-not-show"));
	});
});

test("a question can be answered only by those it asks", async () => {
	await run(async (service) => {
		const id = await ask(service, { users: ["somebody-else"] });
		const { status, body } = await answer(service, id, { id, response: { continue: true } });
		assert.equal(status, 403);
		assert.match(String(body["faultstring"]), /does not have permission to respond to inquiry/);
	});
});

test("an announcement reaches those who follow the general stream", async () => {
	await run(async (service) => {
		const { token } = service;
		const apiUrl = service.urls.api;
		const controller = new AbortController();
		for (const events of ["svc.announcement__*", "svc.announcement__chat.room", "svc.*", "*__chat.room"]) {
			const stream = createClient({ apiUrl, token }).stream({ events }, { signal: controller.signal })[Symbol.asyncIterator]();
			const next = (async () => {
				for (;;) {
					const { value, done } = await stream.next();
					// What was announced for the pattern before may still be on its way.
					if (done === true) return value;
					const isOfRound = JSON.stringify(value.data).includes(JSON.stringify({ text: events }));
					if (value.name.startsWith("svc.announcement__") && isOfRound) return value;
				}
			})();
			const parameters = { route: "chat.room", message: { text: events } };
			let isOver = false;
			void next.then(() => {
				isOver = true;
			});
			// The first ones may be published before the stream is open.
			while (!isOver) {
				await service.ask("/v1/executions", { method: "POST", body: JSON.stringify({ action: "core.announcement", parameters }) });
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			const event = await next;
			assert.equal(event?.name, "svc.announcement__chat.room");
			const { payload, trace_context } = (event?.data ?? {}) as { payload: unknown; trace_context: { id_: string } };
			assert.deepEqual(payload, { message: { text: events } });
			assert.match(trace_context.id_, /^[0-9a-f]{24}$/);
			await stream.return?.();
		}
		controller.abort();
	});
});

test.run();
