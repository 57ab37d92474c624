import { isDeepStrictEqual } from "node:util";
import type { HttpFeature } from "../../http/http-feature.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { RegisterFiles } from "../packs/pack-files-exports.ts";
import type { Policies, PoliciesApi, PolicyInput } from "./policies-exports.ts";
import { createPolicyCore } from "./policy-components.ts";
import { toPolicyFields } from "./policy-fields.ts";
import { toPolicyInput } from "./policy-file.ts";
import { toPolicyRights } from "./policy-rights.ts";
import { policyTypes, workersType } from "./policy-types.ts";
import type { WorkerDemands } from "./required-worker-labels-exports.ts";
import { policyRoutes } from "./routes.ts";
import { rejectRunsRequiringWorker } from "./runner-wrappers-exports.ts";

/** The policies feature with the functions that other features use. */
export interface PoliciesFeature extends HttpFeature<PoliciesApi>, WorkerDemands {}

/** Creates the feature for policies: concurrency limits, which queue executions; retries; and labels of the workers that run executions. */
export function createPoliciesFeature(kernel: Kernel, { registerFiles }: { readonly registerFiles: RegisterFiles }): PoliciesFeature {
	const core = createPolicyCore(kernel);
	let areDemandsTakenOver = false;
	const refuseDemands: WorkerDemands["refuseDemands"] = (runner, reason) =>
		rejectRunsRequiringWorker(runner, { findDemand: core.findDemand, reason });
	return {
		api: { policies: core.policies },
		findDemand: core.findDemand,
		refuseDemands,
		takeOverDemands() {
			areDemandsTakenOver = true;
		},
		// Workflows run on the node. Policies that demand a worker apply to each of their child executions instead.
		wrapRunner: (name, runner) =>
			areDemandsTakenOver || kernel.isWorkflow(name) ? runner : refuseDemands(runner, "but this service has no workers"),
		register: () =>
			registerFiles({
				kind: "policy",
				folder: "policies",
				typeCount: policyTypes.length,
				toInput: toPolicyInput,
				register: (input, { assertPermitted }) =>
					registerPolicy({ storage: kernel.storage, policies: core.policies, assertPermitted }, input),
				remove: (ref) => core.policies.remove(ref),
			}),
		executionQueues: core.queues,
		async onCompletion(ended) {
			const next = await core.retries.draft(ended);
			if (next === undefined) return { operations: [], announce: () => undefined };
			return { operations: [{ insert: "execution", entities: [next] }], replacementId: next.id, announce: () => kernel.announce(next) };
		},
		async start() {
			await core.start();
			if (!areDemandsTakenOver) await warnOfRefusedDemands(kernel);
		},
		stop: core.stop,
		routes: policyRoutes,
	};
}

/** Warns of policies that demand a worker, because this service has no workers and fails the runs to which they apply. */
async function warnOfRefusedDemands({ storage, logger }: Uses<"storage" | "logger">): Promise<void> {
	const policies = await storage.find("policy", { where: { policy_type: workersType, enabled: true }, fields: ["ref"] });
	if (policies.length === 0) return;
	logger.warn("policies require workers, but this service has none; the executions to which they apply will fail", {
		policies: policies.map(({ ref }) => ref),
	});
}

interface RegisterPolicyDependencies extends Uses<"storage"> {
	readonly policies: Policies;
	readonly assertPermitted: AssertPermitted;
}

/**
 * Creates or updates a policy from its file. `enabled` of an existing policy is kept: files are registered at every start, which would
 * otherwise undo an operator's change.
 */
async function registerPolicy({ storage, policies, assertPermitted }: RegisterPolicyDependencies, input: PolicyInput): Promise<void> {
	const [known] = await storage.find("policy", { where: { ref: `${input.pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		assertPermitted(toPolicyRights("create", input));
		await policies.create(input);
		return;
	}
	const { enabled } = known;
	if (isDeepStrictEqual({ ...known, ...toPolicyFields({ ...input, enabled }) }, known)) return;
	assertPermitted([...toPolicyRights("modify", known), ...toPolicyRights("modify", input)]);
	await policies.update(known.ref, { ...input, enabled });
}
