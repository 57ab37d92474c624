import type { PolicyEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { ActionQueues } from "./action-queues.ts";
import { createAttributeKeys } from "./attribute-keys.ts";
import { StoredPolicies } from "./policies.ts";
import { PolicyIndex } from "./policy-index.ts";
import { workersType } from "./policy-types.ts";
import type { FindRequiredLabels, LabelledRun, RequiredWorkerLabels } from "./required-worker-labels-exports.ts";
import { createRetries } from "./retries.ts";

/** Creates the policies, and the components that apply them. */
export function createPolicyCore(kernel: Kernel) {
	const index = new PolicyIndex(kernel);
	const queues = new ActionQueues({ ...kernel, index, attributeKeys: createAttributeKeys(kernel) });
	return {
		policies: new StoredPolicies({
			...kernel,
			async obey() {
				await index.refresh();
				await queues.enqueueWaiting();
			},
		}),
		queues,
		findDemand: createWorkerDemands(kernel, index),
		retries: createRetries({ ...kernel, index, queueOf: (ref) => queues.queueOf(ref) }),
		/** Starts the components. Call it before executions are submitted, and again if it fails because the storage is unavailable. */
		async start() {
			await index.start();
			await queues.start();
		},
		async stop() {
			queues.stop();
			await index.stop();
		},
	};
}

const nothing: RequiredWorkerLabels = { labels: [], policies: [] };
const types = [workersType];

/** Creates the function that reads the labels required by all policies for the action, for its pack, and for all actions. */
function createWorkerDemands({ storage }: Uses<"storage">, index: PolicyIndex): FindRequiredLabels {
	return async (run) => {
		const refs = [run.action_ref, `${run.pack}.*`, "*"].filter((ref) => index.has(ref, types));
		if (refs.length === 0) return nothing;
		const where = { resource_ref: { in: refs }, policy_type: workersType, enabled: true };
		const found = await storage.find("policy", { where, orderBy: [["ref", "asc"]] });
		const demanding = found.filter((policy) => labelsOf(policy, run).length > 0);
		const labels = new Set(demanding.flatMap((policy) => labelsOf(policy, run)));
		return { labels: [...labels].sort(), policies: demanding.map(({ ref }) => ref) };
	};
}

function labelsOf({ parameters }: PolicyEntity, { user }: LabelledRun): readonly string[] {
	const { labels = [], user_labels = {} } = parameters as {
		readonly labels?: readonly string[];
		readonly user_labels?: Readonly<Record<string, readonly string[]>>;
	};
	return [...labels, ...(Object.hasOwn(user_labels, user) ? (user_labels[user] ?? []) : [])];
}
