import { until } from "../guarantees/until.test-support.ts";
import { fakeWorkflow, toFakeDefinition } from "./fake-workflow.test-support.ts";
import type { GuardedService } from "./guarded-service.test-support.ts";
import { aliasBody, policyBody, ruleBody, toTrigger } from "./matrix-rows.test-support.ts";
import type { MatrixSubject } from "./rights-row.test-support.ts";

/** The packs that they ask for. */
export const matrixPacks = {
	"vault/pack.yaml": "ref: vault\nname: vault\ndescription: Secrets.\nversion: 1.0.0\nauthor: somebody\n",
	"vault/icon.png": "not much of a picture",
	"vault/config.schema.yaml": "pin: {type: string, secret: true}\n",
	"vault/actions/flow.yaml":
		"name: flow\nrunner_type: workflow\nentry_point: workflows/flow.yaml\nparameters: {pin: {type: string, secret: true}}\n",
	"vault/actions/workflows/flow.yaml": toFakeDefinition({ say: { next: [{ do: "open" }] }, open: { action: "default.<pin>" } }),
};

/** The runners of their actions, besides `speak`. */
export const matrixRunners = [fakeWorkflow()];

/** A webhook that keeps what comes in, something that did, and what came of it. */
async function createDelivery({ ask }: GuardedService, root: string) {
	const trigger = { type: "core.svc.webhook", parameters: { url: "disk/full", ledger: true } };
	await ask(root, "POST", "/v1/actions", { name: "answer", runner_type: "speak", parameters: { loud: { type: "string" } } });
	const action = { ref: "default.answer", parameters: { loud: "{{ trigger.body.said | upper }}" } };
	await ask(root, "POST", "/v1/rules", { ...ruleBody("answer"), enabled: true, trigger, action });
	await ask(root, "POST", "/v1/webhooks/disk/full", { said: "a payload" });
	const newest = async (path: string) => String(((await ask(root, "GET", path)).body as unknown as { id: string }[])[0]?.id);
	const hasEnded = async () => /a result kept/.test(JSON.stringify((await ask(root, "GET", "/v1/ruleenforcements/views")).body));
	await until("the rule's execution to end", 30, async () => (await hasEnded()) || undefined);
	return {
		delivery: await newest("/v1/webhook_deliveries"),
		instance: await newest("/v1/triggerinstances?trigger_type=core.svc.webhook"),
		enforcement: await newest("/v1/ruleenforcements"),
	};
}

/** An execution with a child, both ended. */
async function createFamily({ ask, run }: GuardedService, root: string): Promise<string> {
	const execution = await run(root);
	const body = { action: "default.speak", parameters: { pin: "" }, context: { parent: { execution_id: execution } } };
	const child = String((await ask(root, "POST", "/v1/executions", body)).body["id"]);
	const read = async () => (await ask(root, "GET", `/v1/executions/${child}`)).body["result"];
	await until("the child to end", 30, read);
	return execution;
}

/** What is kept of each kind that takes care to be shown. */
async function keepValues({ ask, signIn }: GuardedService, root: string): Promise<void> {
	await ask(root, "PUT", "/v1/keys/kept", { value: "a kept value", secret: true });
	await ask(await signIn("owner"), "PUT", "/v1/keys/note", { value: "a private value", scope: "user" });
	await ask(root, "PUT", "/v1/configs/vault", { pin: "a configured secret" });
}

/** Everything that the rows of the matrix ask for, for somebody. */
export async function createSubject(service: GuardedService, root: string) {
	const { ask, signIn, run } = service;
	const received = await createDelivery(service, root);
	const execution = await createFamily(service, root);
	await keepValues(service, root);
	const workflow = await run(root, "vault.flow");
	const assignmentOf = async (user: string) =>
		String(((await ask(root, "GET", `/v1/rbac/role_assignments?user=${user}`)).body as unknown as { id: string }[])[0]?.id);
	const [assignment, ownAssignment] = [await assignmentOf("root"), await assignmentOf("owner")];
	await ask(root, "POST", "/v1/rules", ruleBody("watch"));
	await ask(root, "POST", "/v1/policies", policyBody("one"));
	for (const name of ["say", "fixed"]) await ask(root, "POST", "/v1/actionalias", aliasBody(name));
	const counted = { pack: "default", name: "counted", parameters_schema: { type: "object", properties: { number: { type: "integer" } } } };
	await ask(root, "POST", "/v1/triggertypes", counted);
	let count = 0;
	const freshName = () => `fresh${(count += 1)}`;
	return (username: string): MatrixSubject => ({
		execution,
		workflow,
		assignment,
		ownAssignment,
		...received,
		freshName,
		ownToken: () => signIn(username),
		newExecution: async () => {
			const body = { action: "default.speak", parameters: { pin: "a secret pin" }, delay: 3_600_000 };
			return String((await ask(root, "POST", "/v1/executions", body)).body["id"]);
		},
		newKey: async () => String((await ask(root, "POST", "/v1/apikeys", {})).body["id"]),
		newRule: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/rules", ruleBody(name));
			return `default.${name}`;
		},
		newPolicy: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/policies", policyBody(name));
			return `default.${name}`;
		},
		newAlias: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/actionalias", aliasBody(name));
			return `default.${name}`;
		},
		newTriggerType: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/triggertypes", { pack: "default", name });
			return `default.${name}`;
		},
		newTrigger: async () => {
			return String((await ask(root, "POST", "/v1/triggers", toTrigger(freshName()))).body["ref"]);
		},
		newAction: async () => {
			const name = freshName();
			await ask(root, "POST", "/v1/actions", { name, runner_type: "speak" });
			return `default.${name}`;
		},
	});
}
