import type { PolicyEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/wire-record.ts";

export function toPolicy(policy: PolicyEntity): WireRecord {
	const { id, ref, name, pack, description, enabled, resource_ref, policy_type, parameters, metadata_file } = policy;
	return {
		...{ id, uid: `policy:${pack}:${name}`, ref, name, pack, description, enabled },
		...{ resource_ref, policy_type, parameters, metadata_file: metadata_file ?? "" },
	};
}
