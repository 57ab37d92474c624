// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "svc-automation/client";
import { test } from "uvu";
import { parseAllDocuments } from "yaml";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { startCuttingProxy } from "../../core/testing/web/cutting-proxy.test-support.ts";
import { run } from "../../scripts/run.ts";
import { type Container, Pod } from "./pod.test-support.ts";

const { test: kubectlTest } = requires(test, { command: "kubectl" });
const { test: podTest } = requires(Object.assign(postgresTest(test), { skip: test.skip }), { command: "kubectl" });
const root = fileURLToPath(new URL("../../", import.meta.url));

/** An address without a listener. */
const nowhere = "http://127.0.0.1:1";

/** Parts of manifests that the test checks. */
type Part = { readonly [member: string]: Part } & readonly Part[];

kubectlTest(
	"the manifests make a whole: probes, a time to drain, a budget for disruptions, nothing that may be written but volumes",
	async () => {
		const manifests = await readManifests();
		const ofKind = (kind: string) => manifests.filter((manifest) => String(manifest["kind"]) === kind);
		assert.equal(ofKind("Deployment").length, 2);
		for (const deployment of ofKind("Deployment")) assertDeployment(deployment);
		const selectors = (kind: string) =>
			ofKind(kind)
				.map(({ spec }) => JSON.stringify(spec?.["selector"]))
				.sort();
		assert.deepEqual(selectors("PodDisruptionBudget"), selectors("Deployment"));
		const [service] = ofKind("Service");
		assert.equal(String(service?.["spec"]?.["selector"]?.["svc/part"]), "api");
		const variables = new Map(
			ofKind("Deployment")
				.flatMap((deployment) => toContainer(deployment)[1].env)
				.map(({ name, value }) => [name, value]),
		);
		const { port } = (service?.["spec"]?.["ports"]?.[0] ?? {}) as { readonly port?: unknown };
		// Workers have no API listener, so they must know the address for actions.
		assert.deepEqual([variables.get("SVC_AUTH_API_URL"), port], [`http://${service?.["metadata"]?.["name"]}`, 80]);
	},
);

podTest(
	"probes let no request come too early, restart nothing because the database is away, and a worker that is removed ends what it runs",
	async () => {
		const database = await createTestDatabase();
		const address = new URL(database.url);
		const line = await startCuttingProxy(nowhere);
		const databaseUrl = Object.assign(new URL(database.url), { host: new URL(line.url).host }).href;
		const directory = await mkdtemp(join(tmpdir(), "svc-pods-"));
		const pods: Pod[] = [];
		try {
			await makeSecrets(directory);
			const containers = new Map((await readManifests()).filter(({ kind }) => String(kind) === "Deployment").map(toContainer));
			const place = (part: "api" | "worker", name: string) => {
				const pod = new Pod(containers.get(`svc-${part}`) as Container, { name, directory, databaseUrl });
				pods.push(pod);
				return pod;
			};
			// The first pod creates the key of the datastore. In a cluster, the key is in a secret.
			const api = place("api", "api-1");
			await api.begin();
			await until("the process is up", 100, async () => (await api.passes("startupProbe")) || undefined);
			assert.deepEqual([await api.passes("readinessProbe"), await api.passes("livenessProbe")], [false, true], "no database yet");
			line.aim(`http://${address.host}`);
			await api.becomesReady();
			const first = await place("worker", "worker-1").start();
			const { token } = await createClient({ apiUrl: api.api }).signIn({ username: "maria", password: "a long password" });
			const client = createClient({ apiUrl: api.api, token });
			const start = (cmd: string) => client.executions.create({ action: "core.local", parameters: { cmd } });
			const statusOf = async (id: string) => (await client.executions.get(id)).status;
			const running = await start(`while [ ! -e ${directory}/go ]; do sleep 0.1; done; echo done`);
			await until("it runs", 30, async () => (await statusOf(running.id)) === "running" || undefined);
			const removed = first.remove();
			await until("the probe says no", 60, async () => !(await first.passes("readinessProbe")) || undefined);
			assert.equal(await first.passes("livenessProbe"), true, "what runs there is not killed");
			const late = await start("echo late");
			const second = await place("worker", "worker-2").start();
			await until("another worker has taken it", 60, async () => (await statusOf(late.id)) === "succeeded" || undefined);
			assert.equal(await statusOf(running.id), "running");
			await writeFile(join(directory, "go"), "");
			assert.equal(await removed, 0);
			assert.equal(await statusOf(running.id), "succeeded");
			line.aim(nowhere);
			line.cut();
			const both = [api, second];
			for (const pod of both) await until("nothing is sent to it", 60, async () => !(await pod.passes("readinessProbe")) || undefined);
			assert.deepEqual(await Promise.all(both.map((pod) => pod.passes("livenessProbe"))), [true, true], "nothing is restarted");
			line.aim(`http://${address.host}`);
			for (const pod of both) await pod.becomesReady();
			assert.deepEqual(await Promise.all([second.remove(), api.remove()]), [0, 0]);
		} finally {
			for (const pod of pods) pod.kill();
			await line.close();
			await database.drop();
			await rm(directory, { recursive: true, force: true });
		}
	},
);

async function readManifests(): Promise<readonly Part[]> {
	const { code, output } = await run("kubectl", ["kustomize", fileURLToPath(new URL(".", import.meta.url))]);
	assert.equal(code, 0, output);
	return parseAllDocuments(output).map((document) => document.toJS() as Part);
}

function toContainer({ metadata, spec }: Part): readonly [string, Container] {
	return [String(metadata?.["name"]), spec?.["template"]?.["spec"]?.["containers"]?.[0] as unknown as Container];
}

/** Creates the configuration and the secrets of the guide, in one directory. */
async function makeSecrets(directory: string): Promise<void> {
	const text = await readFile(new URL("svc.config.ts", import.meta.url), "utf8");
	const config = join(directory, "svc.config.ts");
	await writeFile(config, text.replace("/secrets/", `${directory}/`));
	await mkdir(join(directory, "node_modules"));
	await symlink(root, join(directory, "node_modules/svc-automation"));
	execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", join(directory, "audit-key.pem")], { stdio: "ignore" });
	const command = [join(root, "dist/plugins/_shipped/main.js"), "user", "create", "maria", "--config", config];
	execFileSync(process.execPath, command, {
		input: "a long password\n",
		env: { ...process.env, SVC_DATA_DIR: directory },
		stdio: ["pipe", "ignore", "inherit"],
	});
}

function assertDeployment({ spec }: Part): void {
	const pod = spec?.["template"]?.["spec"] as Part;
	const container = pod["containers"]?.[0] as Part;
	const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => String(container[probe]?.["httpGet"]?.["path"]));
	assert.deepEqual(paths, ["/v1/health/live", "/v1/health/live", "/v1/health/ready"]);
	assert.ok(container["lifecycle"]?.["preStop"]?.["exec"] !== undefined);
	// Longer than a stop waits for active runs (actionrunner.exit_still_active_check).
	assert.ok(Number(pod["terminationGracePeriodSeconds"]) > 300 + 5);
	const { runAsNonRoot } = pod["securityContext"] as Part;
	const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container["securityContext"] as Part;
	assert.deepEqual([runAsNonRoot, readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities?.["drop"]], [true, true, false, ["ALL"]]);
	const mounted = (container["volumeMounts"] as readonly Part[]).map(({ name }) => String(name)).sort();
	assert.deepEqual(mounted, (pod["volumes"] as readonly Part[]).map(({ name }) => String(name)).sort());
	assert.match(JSON.stringify(container["image"]), /registry\.example\.com\/svc:/);
}

test.run();
