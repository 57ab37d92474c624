// test-timeout: 240
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as register } from "uvu";
import { type ServiceUnderTest, type WireRecord, withService } from "../../core/testing/http/service.test-support.ts";
import { requires } from "../../core/testing/index.ts";
import { actionChain } from "../../plugins-runner/action-chain/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { pythonScript } from "../../plugins-runner/python-script/index.ts";
import { workflow } from "../../plugins-runner/workflow/index.ts";
import { garden } from "./garden-pack.test-support.ts";
import { packCompatibility } from "./index.ts";

const { test: pythonTest } = requires(register, { command: "python3" });

/** A service with the pack, and with the dialect unless it is to be without. */
async function serveGarden(run: (service: ServiceUnderTest) => Promise<void>, { isKnown = true } = {}): Promise<void> {
	const packs = await mkdtemp(join(tmpdir(), "svc-garden-"));
	try {
		for (const [path, text] of Object.entries(garden)) {
			await mkdir(dirname(join(packs, path)), { recursive: true });
			await writeFile(join(packs, path), text);
		}
		const runners = [localCommand(), pythonScript({ engine: "cpython", base_requirements: [] }), workflow(), actionChain()];
		const dialects = isKnown ? [packCompatibility()] : [];
		await withService(
			async (service) => {
				await put(service, "/v1/keys/plant", { name: "plant", value: "fern" });
				await put(service, "/v1/keys/garden_key", { name: "garden_key", value: "4711" });
				await run(service);
			},
			{ runners, dialects, packs: [packs] },
		);
	} finally {
		await rm(packs, { recursive: true, force: true });
	}
}

let shared: { readonly service: ServiceUnderTest; stop(): Promise<void> } | undefined;

/** The service of all tests that have the dialect. */
async function withGarden(run: (service: ServiceUnderTest) => Promise<void>): Promise<void> {
	shared ??= await startGarden();
	await run(shared.service);
}

/** Resolves once the service has started. It goes on until `stop`. */
function startGarden(): Promise<NonNullable<typeof shared>> {
	return new Promise((resolve, reject) => {
		let end = () => {};
		const stopped = new Promise<void>((stop) => {
			end = stop;
		});
		const serving = serveGarden((service) => {
			const stop = () => {
				end();
				return serving;
			};
			resolve({ service, stop });
			return stopped;
		});
		serving.catch(reject);
	});
}

register.after(() => shared?.stop());

async function put({ ask }: ServiceUnderTest, path: string, body: object): Promise<void> {
	const answer = await ask(path, { method: "PUT", body: JSON.stringify(body) });
	assert.equal(answer.status, 200, await answer.text());
}

async function get({ ask }: ServiceUnderTest, path: string): Promise<WireRecord> {
	const answer = await ask(path);
	assert.equal(answer.status, 200, path);
	return (await answer.json()) as WireRecord;
}

/** The execution of an action, when it has ended. */
async function execute(service: ServiceUnderTest, action: string, parameters: object = {}): Promise<WireRecord> {
	const answer = await service.ask("/v1/executions", { method: "POST", body: JSON.stringify({ action, parameters }) });
	const created = (await answer.json()) as WireRecord;
	assert.equal(answer.status, 201, JSON.stringify(created));
	await service.ended(String(created["id"]));
	const execution = await get(service, `/v1/executions/${created["id"]}`);
	return execution;
}

const resultOf = (execution: WireRecord) => {
	assert.equal(execution["status"], "succeeded", JSON.stringify(execution["result"]));
	return execution["result"] as WireRecord;
};

pythonTest("a Python action of another platform runs as it is: base class, configuration, datastore, library, variables", () =>
	withGarden(async (service) => {
		const { result } = resultOf(await execute(service, "garden.plants.water", { amount: 2 }));
		assert.deepEqual(result, {
			filled: ["can", "can"],
			plant: "fern",
			urgent: false,
			bed: "roses",
			described: true,
			last: "fern",
			own: true,
			day: "2026-01-31T10:00:00+00:00",
		});
		const failed = await execute(service, "garden.plants.water", { amount: -1 });
		assert.equal(failed["status"], "failed");
		assert.match(String((failed["result"] as WireRecord)["stderr"]), /InvalidActionParameterException: amount must not be negative/);
	}),
);

register("workflows and chains read the datastore and the service's object under the platform's names", () =>
	withGarden(async (service) => {
		const address = new URL("/v1", service.urls.api).href;
		const execution = await execute(service, "garden.tend");
		const { output } = resultOf(execution) as { output: WireRecord };
		const words = `fern fern garden ${address}`;
		assert.equal(execution["status"], "succeeded");
		assert.deepEqual(output, {
			words,
			key: "no key",
			execution: execution["id"],
			same: execution["id"],
			// Each variable once, by this service's name.
			whole: ["key", "parent", "plant", "svc", "words"],
		});
		const { tasks } = resultOf(await execute(service, "garden.row")) as { tasks: { result: WireRecord }[] };
		assert.match(String(tasks[1]?.result["stdout"]), new RegExp(`^${words} and fern fern garden`));
	}),
);

register("a rule on the platform's webhook matches, and its record names this service's", () =>
	withGarden(async (service) => {
		const rule = await get(service, "/v1/rules/garden.on_rain");
		assert.deepEqual([(rule["trigger"] as WireRecord)["type"], rule["enabled"]], ["core.svc.webhook", true]);
		const sent = await service.ask("/v1/webhooks/rain", { method: "POST", body: JSON.stringify({ plant: "fern" }) });
		assert.equal(sent.status, 202);
		for (;;) {
			const answer = await service.ask("/v1/executions?action=garden.note");
			const execution = ((await answer.json()) as WireRecord[]).find((each) => each["rule"] !== undefined);
			if (execution === undefined) continue;
			await service.ended(String(execution["id"]));
			const { stdout } = resultOf(await get(service, `/v1/executions/${execution["id"]}`));
			assert.match(String(stdout), /^fern, rained upon, fern fern garden/);
			return;
		}
	}),
);

// It switches the rule of the test above off.
pythonTest("the client that packs import reaches records, with the token of the run", () =>
	withGarden(async (service) => {
		assert.deepEqual(resultOf(await execute(service, "garden.look"))["result"], {
			seen: "a rose",
			missing: null,
			deleted: [true, null],
			rule: false,
			execution: true,
			actions: ["garden.look", "garden.note", "garden.plants.water", "garden.row", "garden.tend"],
			refused: 400,
		});
	}),
);

pythonTest(
	"a sensor of another platform reaches the API with a token of its own, which is nowhere shown and goes with it, and a rule acts on its event",
	() =>
		withGarden(async (service) => {
			let text = "";
			while (!text.includes("had water")) {
				const [execution] = (await (await service.ask("/v1/executions?action=core.local")).json()) as WireRecord[];
				if (execution === undefined) continue;
				await service.ended(String(execution["id"]));
				text = String(resultOf(await get(service, `/v1/executions/${execution["id"]}`))["stdout"]);
			}
			assert.match(text, /^fern had water/);
			const [event] = (await (await service.ask("/v1/triggerinstances?trigger_type=garden.rained")).json()) as { payload: WireRecord }[];
			assert.equal(event?.payload["token"], "********");
			const said = service.log.find((line) => line.includes("sensor says"));
			assert.match(said ?? "", /token \*{8}/);
			const tokens = () => service.storage().find("token", { where: { user: "sensors_container" } });
			assert.deepEqual(
				(await tokens()).map(({ service: isService, metadata }) => [isService, metadata]),
				[[true, { service: "sensorcontainer", sensor: "garden.RainGauge" }]],
			);
			await put(service, "/v1/sensortypes/garden.RainGauge", { enabled: false });
			while ((await tokens()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
		}),
);

register("the API takes the platform's names of runner types and triggers, and answers with this service's", () =>
	withGarden(async (service) => {
		const create = async (path: string, body: object) => {
			const answer = await service.ask(path, { method: "POST", body: JSON.stringify(body) });
			const record = (await answer.json()) as WireRecord;
			assert.equal(answer.status, 201, JSON.stringify(record));
			return record;
		};
		const action = await create("/v1/actions", { name: "mine", pack: "default", runner_type: "run-local", parameters: {} });
		assert.equal(action["runner_type"], "local-shell-cmd");
		const trigger = { type: "core.st2.webhook", parameters: { url: "mine" } };
		const rule = await create("/v1/rules", { name: "mine", pack: "default", trigger, action: { ref: "garden.note" } });
		assert.equal((rule["trigger"] as WireRecord)["type"], "core.svc.webhook");
	}),
);

register("without the dialect nothing of it is understood, and what was skipped is named", () =>
	serveGarden(
		async (service) => {
			assert.equal((await service.ask("/v1/actions/garden.note")).status, 404);
			assert.equal((await service.ask("/v1/rules/garden.on_rain")).status, 404);
			assert.ok(
				service.log.some((line) => /pack content was skipped.*note\.yaml.*runner type \\"run-local\\" is not configured/.test(line)),
			);
		},
		{ isKnown: false },
	),
);

register.run();
