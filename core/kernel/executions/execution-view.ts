import type { ExecutionEntity, SnapshotEntity } from "../../contract/index.ts";
import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { ExecutionView } from "./executions-api.ts";

export type ExecutionViewDependencies = Uses<"sealedSecrets" | "isWorkflow">;

/** Returns an execution with the data that presenting it needs. Its secrets are decrypted on first access. */
export function toExecutionView(
	entity: ExecutionEntity,
	snapshot: SnapshotEntity,
	{ sealedSecrets, isWorkflow, children = [] }: ExecutionViewDependencies & { readonly children?: readonly string[] },
): ExecutionView {
	return new LazyExecutionView({ entity, snapshot, children, isWorkflow: isWorkflow(snapshot.runner.name) }, sealedSecrets);
}

/** A class, so that all views share the getter: V8 (Node 20) keeps a getter of a single object, and its closure, alive until a full GC. */
class LazyExecutionView implements ExecutionView {
	readonly entity: ExecutionEntity;
	readonly snapshot: SnapshotEntity;
	readonly children: readonly string[];
	readonly isWorkflow: boolean;
	readonly #sealedSecrets: EncryptedSecrets;
	#secrets: Redactor | undefined;

	constructor({ entity, snapshot, children, isWorkflow }: Omit<ExecutionView, "secrets">, sealedSecrets: EncryptedSecrets) {
		this.entity = entity;
		this.snapshot = snapshot;
		this.children = children;
		this.isWorkflow = isWorkflow;
		this.#sealedSecrets = sealedSecrets;
	}

	get secrets(): Redactor {
		this.#secrets ??= this.#sealedSecrets.decryptForExecution(this.entity, this.snapshot);
		return this.#secrets;
	}
}
