// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { toChildId } from "../../kernel/executions/child-identity.ts";
import { until } from "../../kernel/nodes/nodes.test-support.ts";
import { flowRunner } from "../../kernel/runs/flow-runner.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";

const send = async ({ ask }: ServiceUnderTest, method: string, path: string, body: object) => {
	const response = await ask(path, { method, body: JSON.stringify(body) });
	return { status: response.status, body: (await response.json()) as WireRecord };
};
const read = async ({ ask }: ServiceUnderTest, path: string) => (await (await ask(path)).json()) as WireRecord;

/** Id of a flow that has paused for a question. */
async function startAsking(service: ServiceUnderTest): Promise<string> {
	await send(service, "POST", "/v1/actions", { name: "flow", runner_type: "flow" });
	const parameters = { steps: [{ key: "ask", action: "core.ask" }] };
	const { body } = await send(service, "POST", "/v1/executions", { action: "default.flow", parameters });
	const id = String(body["id"]);
	await until(async () => (await read(service, `/v1/executions/${id}`))["status"] === "paused", "it is paused");
	return id;
}

test("a paused execution that only waits for answers names the inquiries, and a resume is 409 with how to answer them", async () => {
	await withService(
		async (service) => {
			const id = await startAsking(service);
			const question = toChildId(id, "ask");
			assert.deepEqual((await read(service, `/v1/executions/${id}`))["awaited_inquiries"], [question]);
			assert.deepEqual((await read(service, `/v1/executions/${id}?include_attributes=awaited_inquiries`))["awaited_inquiries"], [question]);
			assert.equal((await read(service, `/v1/executions/${id}?include_attributes=status`))["awaited_inquiries"], undefined);
			const { status, body } = await send(service, "PUT", `/v1/executions/${id}`, { status: "resuming" });
			assert.equal(status, 409);
			assert.match(
				String(body["faultstring"]),
				new RegExp(`waits for the answer to inquiry "${question}".*svc inquiry respond ${question}`),
			);
			const answer = await send(service, "PUT", `/v1/inquiries/${question}`, { id: question, response: { continue: true } });
			assert.equal(answer.status, 200);
			await until(async () => (await read(service, `/v1/executions/${id}`))["status"] === "succeeded", "it goes on");
			assert.equal((await read(service, `/v1/executions/${id}`))["awaited_inquiries"], undefined);
		},
		{ runners: [flowRunner(), inquirer()] },
	);
});

test("a paused execution with other work names none, and is resumed", async () => {
	await withService(
		async (service) => {
			const id = await startAsking(service);
			assert.equal((await read(service, `/v1/executions/${id}`))["awaited_inquiries"], undefined);
			assert.equal((await send(service, "PUT", `/v1/executions/${id}`, { status: "resuming" })).status, 200);
		},
		{ runners: [flowRunner({ hasHeldWork: true }), inquirer()] },
	);
});

test.run();
