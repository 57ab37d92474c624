import type { EntityKind, WriteOperation } from "../../contract/index.ts";
import type { OnCall } from "./shared-storage.test-support.ts";

/** A patch that a test waits for: the values of some of its fields. */
type PartOfPatch = Readonly<Record<string, unknown>>;

/** Another writer, which changes something between the read and the write of a node. */
export interface OtherWriter {
	/** For the door of the node. */
	readonly onCall: OnCall;
	/** Calls `change` once, just before the next update of a record of the kind whose patch has the values of `part`. */
	before(kind: EntityKind, part: PartOfPatch, change: () => Promise<unknown>): void;
	/** Whether the change has been made. */
	hasCome(): boolean;
}

export function createOtherWriter(): OtherWriter {
	let awaited: { readonly kind: EntityKind; readonly part: PartOfPatch; readonly change: () => Promise<unknown> } | undefined;
	let hasCome = false;
	return {
		async onCall(method, values) {
			if (awaited === undefined || !patchesOf(method, values, awaited.kind).some((patch) => hasPart(patch, awaited?.part ?? {}))) return;
			const { change } = awaited;
			awaited = undefined;
			await change();
			hasCome = true;
		},
		before(kind, part, change) {
			awaited = { kind, part, change };
			hasCome = false;
		},
		hasCome: () => hasCome,
	};
}

/** The patches with which a call of the storage updates records of the kind. */
function patchesOf(method: string, [first, , patch]: readonly unknown[], kind: EntityKind): readonly PartOfPatch[] {
	if (method === "update") return first === kind ? [patch as PartOfPatch] : [];
	if (method !== "write") return [];
	return (first as readonly WriteOperation[]).flatMap((operation) =>
		"update" in operation && operation.update === kind ? [operation.patch as PartOfPatch] : [],
	);
}

function hasPart(patch: PartOfPatch, part: PartOfPatch): boolean {
	return Object.entries(part).every(([field, value]) => patch[field] === value);
}
