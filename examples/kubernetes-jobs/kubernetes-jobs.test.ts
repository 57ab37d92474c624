// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig } from "svc-automation";
import { createClient } from "svc-automation/client";
import { test } from "uvu";
import { parseAllDocuments } from "yaml";
import { KubeServer } from "../../plugins-runner/kubernetes-job/kube-server.test-support.ts";

const path = (name: string) => join(import.meta.dirname, name);

test("an action runs as a job in the namespace of the kubeconfig, and asks for nothing that its account may not do", async () => {
	const cluster = await KubeServer.start();
	const directory = await mkdtemp(join(tmpdir(), "svc-kubernetes-jobs-"));
	const kubeconfig = {
		clusters: [{ name: "lab", cluster: { server: cluster.url } }],
		users: [{ name: "svc", user: { token: "t0ken" } }],
		contexts: [{ name: "svc", context: { cluster: "lab", user: "svc", namespace: "actions" } }],
		"current-context": "svc",
	};
	await writeFile(join(directory, "kubeconfig"), JSON.stringify(kubeconfig));
	process.env["KUBECONFIG"] = join(directory, "kubeconfig");
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const env = { ...process.env, ...ports, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" };
	const service = createService(await loadConfig(path("svc.config.ts")), { env, directory: import.meta.dirname });
	try {
		const { executions } = createClient({ apiUrl: (await service.start()).addresses.api ?? "" });
		const { id } = await executions.create({ action: "ops.count", parameters: { to: 2 } });
		let execution = await executions.get(id);
		for (; execution.end_timestamp === undefined; execution = await executions.get(id)) await delay(100);
		const { stdout, namespace } = execution.result ?? {};
		assert.deepEqual([execution.status, stdout, namespace], ["succeeded", "line 1\nline 2", "actions"]);
	} finally {
		await service.stop();
		await cluster.stop();
		await rm(directory, { recursive: true });
	}
	const allowed = await readRights();
	for (const request of new Set(cluster.requests.map(toRight))) assert.ok(allowed.has(request), `${request} is not allowed`);
});

/** Returns `verb resource` for each permission of the account. */
async function readRights(): Promise<ReadonlySet<string>> {
	const documents = parseAllDocuments(await readFile(path("rights.yaml"), "utf8")).map((document) => document.toJS());
	const { rules } = documents.find(({ kind }) => kind === "Role") as { rules: { resources: string[]; verbs: string[] }[] };
	return new Set(rules.flatMap(({ resources, verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`))));
}

/** Returns the permission that a request needs, as the API server determines it. */
function toRight(request: string): string {
	const [, method = "", resource = "", name, log = "", watch] =
		/^(\S+) .*\/(jobs|pods|secrets)(\/[^/?]+)?(\/log)?(\?watch)?$/.exec(request) ?? [];
	const read = watch ? "watch" : name === undefined ? "list" : "get";
	const verb = { POST: "create", PATCH: "patch", DELETE: "delete" }[method] ?? read;
	return `${verb} ${resource}${log}`;
}

test.run();
