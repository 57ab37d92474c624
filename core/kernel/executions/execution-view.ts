import type { ExecutionEntity, SnapshotEntity } from "../../contract/index.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import type { ExecutionView } from "./executions-api.ts";

/** An execution with what is needed to show it. What is secret is found out when it is asked for. */
export function toExecutionView(
	entity: ExecutionEntity,
	snapshot: SnapshotEntity,
	{ sealedSecrets, children = [] }: { readonly sealedSecrets: SealedSecrets; readonly children?: readonly string[] },
): ExecutionView {
	let secrets: KnownSecrets | undefined;
	return {
		entity,
		snapshot,
		children,
		get secrets() {
			secrets ??= sealedSecrets.ofExecution(entity, snapshot);
			return secrets;
		},
	};
}
