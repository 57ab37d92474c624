import { useSignal } from "@preact/signals";
import type { JsonObject } from "../../../../core/contract/index.ts";
import type { PolicyTypeRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { notices } from "../kit/notices.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { Dialog } from "../parts/confirm.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/policies.ts";
import { policyMembers, toPolicyRequest } from "./policy-form.ts";

/** Shows a dialog for the type of a new policy and then for its parameters. */
export function NewPolicy({ onClose }: { readonly onClose: () => void }) {
	const types = useResource(() => client.policies.types(), []);
	return (
		<Dialog title={texts.createTitle} onClose={onClose}>
			<Loaded resource={types}>{({ items }) => <Kinds types={items} onClose={onClose} />}</Loaded>
		</Dialog>
	);
}

function Kinds({ types, onClose }: { readonly types: readonly PolicyTypeRecord[]; readonly onClose: () => void }) {
	const chosen = useSignal(types[0]?.ref ?? "");
	const type = types.find(({ ref }) => ref === chosen.value);
	if (type === undefined) return null;
	const create = async (values: JsonObject) => {
		const { ref } = await client.policies.create(toPolicyRequest(type.ref, values));
		notices.say(texts.created);
		addressBar.go(toPath("/policies/:ref", { ref }));
	};
	return (
		<>
			<div class="field">
				<label for="policy-type">{texts.typeField}</label>
				<select id="policy-type" value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
					{types.map(({ ref }) => (
						<option key={ref}>{ref}</option>
					))}
				</select>
				<div class="field-hint">
					<p>{type.description}</p>
				</div>
			</div>
			<SchemaForm
				key={type.ref}
				schema={{
					name: { type: "string", required: true },
					pack: { type: "string", required: true },
					...policyMembers,
					...type.parameters,
				}}
				proposed={{ pack: "default" }}
				action={common.create}
				onSubmit={create}
				onCancel={onClose}
			/>
		</>
	);
}
