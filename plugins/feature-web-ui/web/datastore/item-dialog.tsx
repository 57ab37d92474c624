import type { JsonObject, ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { KeyRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { notices } from "../kit/notices.ts";
import { client } from "../kit/service.ts";
import { Dialog } from "../parts/confirm.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/datastore.ts";
import { type Owner, type ScopeName, toItemHref } from "./item-address.ts";

interface ItemDialogProps {
	readonly scope: ScopeName;
	readonly user: Owner;
	/** The existing item. Saving replaces the whole item. */
	readonly item?: KeyRecord;
	readonly onStored?: () => void;
	readonly onClose: () => void;
}

const members: ParameterDefinitions = {
	value: { type: "string", required: true },
	description: { type: "string" },
	secret: { type: "boolean", description: texts.secretField },
	ttl: { type: "integer", minimum: 1, description: texts.expiryField },
};
const named: ParameterDefinitions = { name: { type: "string", required: true }, ...members };
const secret: ParameterDefinitions = {
	...members,
	value: { type: "string", required: true, description: texts.secretValueField },
};

/** Shows a dialog for the fields of an item. Stores the item. */
export function ItemDialog({ scope, user, item, onStored, onClose }: ItemDialogProps) {
	const submit = async ({ name, value, ...rest }: JsonObject) => {
		const stored = await client.keys.set(item?.name ?? String(name), { ...rest, scope, user, value: String(value) });
		notices.say(texts.saved);
		onClose();
		onStored?.();
		if (item === undefined) location.hash = toItemHref(stored);
	};
	return (
		<Dialog title={item === undefined ? texts.createTitle : common.changeNamed(item.name)} onClose={onClose}>
			<SchemaForm
				schema={item === undefined ? named : item.secret ? secret : members}
				proposed={item === undefined ? {} : toProposed(item)}
				action={common.save}
				onSubmit={submit}
				onCancel={onClose}
			/>
		</Dialog>
	);
}

/** Returns the fields of an existing item as form values. Storing an item replaces all fields, so a missing one would be lost. */
function toProposed({ value, description = "", secret: isSecret, expire_timestamp: end }: KeyRecord): JsonObject {
	return {
		...(!isSecret && { value }),
		description,
		...(isSecret && { secret: true }),
		...(end !== undefined && { ttl: Math.max(1, Math.round((Date.parse(end) - Date.now()) / 1_000)) }),
	};
}
