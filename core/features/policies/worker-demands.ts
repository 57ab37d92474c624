import type { PolicyEntity, Storage } from "../../contract/index.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { workersType } from "./policy-types.ts";
import type { Demand, DemandedOf, FindDemand } from "./worker-demands-api.ts";

const nothing: Demand = { labels: [], policies: [] };
const types = [workersType];

/** Reads what all policies together demand: those of the action, of its pack, and of everything. */
export function createWorkerDemands({
	storage,
	index,
}: {
	readonly storage: Storage;
	readonly index: Pick<PolicyIndex, "has">;
}): FindDemand {
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

function labelsOf({ parameters }: PolicyEntity, { user }: DemandedOf): readonly string[] {
	const { labels = [], user_labels = {} } = parameters as {
		readonly labels?: readonly string[];
		readonly user_labels?: Readonly<Record<string, readonly string[]>>;
	};
	return [...labels, ...(Object.hasOwn(user_labels, user) ? (user_labels[user] ?? []) : [])];
}
