import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { parseAllDocuments } from "yaml";
import { requires } from "../../core/testing/requires.ts";
import { run } from "../../scripts/run.ts";

const { test: kubectlTest } = requires(test, { command: "kubectl" });

/** Parts of manifests, as far as the test looks at them. */
type Part = { readonly [member: string]: Part } & readonly Part[];

kubectlTest(
	"the manifests make a whole: probes, a time to drain, a budget for disruptions, nothing that may be written but volumes",
	async () => {
		const { code, output } = await run("kubectl", ["kustomize", fileURLToPath(new URL(".", import.meta.url))]);
		assert.equal(code, 0, output);
		const manifests = parseAllDocuments(output).map((document) => document.toJS() as Part);
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
	},
);

function assertDeployment({ spec }: Part): void {
	const pod = spec?.["template"]?.["spec"] as Part;
	const container = pod["containers"]?.[0] as Part;
	const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => String(container[probe]?.["httpGet"]?.["path"]));
	assert.deepEqual(paths, ["/v1/health/live", "/v1/health/live", "/v1/health/ready"]);
	assert.ok(container["lifecycle"]?.["preStop"]?.["exec"] !== undefined);
	// As long as stopping waits for runs by itself (actionrunner.exit_still_active_check), and some more.
	assert.ok(Number(pod["terminationGracePeriodSeconds"]) > 300 + 5);
	const { runAsNonRoot } = pod["securityContext"] as Part;
	const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container["securityContext"] as Part;
	assert.deepEqual([runAsNonRoot, readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities?.["drop"]], [true, true, false, ["ALL"]]);
	const mounted = (container["volumeMounts"] as readonly Part[]).map(({ name }) => String(name)).sort();
	assert.deepEqual(mounted, (pod["volumes"] as readonly Part[]).map(({ name }) => String(name)).sort());
	assert.match(JSON.stringify(container["image"]), /registry\.example\.com\/svc:/);
}

test.run();
