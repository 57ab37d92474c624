import { useMemo } from "preact/hooks";
import type { ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { ActionRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { toActionUid } from "../kit/permissions.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/actions.ts";
import * as common from "../texts/common.ts";

/** Shows a form for the parameters of an action. Runs the action and opens the page of the run. */
export function RunForm({ action: { ref, enabled, parameters } }: { readonly action: ActionRecord }) {
	const schema = useResource((signal) => client.actions.parameters(ref, { signal }), [ref]);
	if (!enabled) return <p>{texts.disabled}</p>;
	if (!session.may("action_execute", toActionUid(ref))) return <p>{texts.mayNotRun}</p>;
	return (
		<Loaded resource={schema}>
			{(whole) => (
				<ActionForm
					schema={whole}
					own={parameters}
					action={common.run}
					onSubmit={async (values) => {
						const { id } = await client.executions.create({ action: ref, parameters: values });
						location.hash = toExecutionHref(id);
					}}
				/>
			)}
		</Loaded>
	);
}

interface ActionFormProps extends Omit<Parameters<typeof SchemaForm>[0], "rare" | "none"> {
	/** Parameters that the action itself defines. Those of its runner are collapsed, unless the action defines none that the user can set. */
	readonly own: ParameterDefinitions;
}

/** Shows a form for the parameters of an action and of its runner. */
export function ActionForm({ own, ...form }: ActionFormProps) {
	const { schema } = form;
	const rare = useMemo(() => {
		const isOwn = Object.keys(own).some((name) => schema[name]?.immutable !== true);
		return new Set(isOwn ? Object.keys(schema).filter((name) => !Object.hasOwn(own, name)) : []);
	}, [schema, own]);
	return <SchemaForm {...form} rare={rare} none={texts.noParameters} />;
}
