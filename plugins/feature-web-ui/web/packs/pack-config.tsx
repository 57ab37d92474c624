import { isSvcError, type JsonObject, type ParameterDefinitions, stringifyJson } from "../../../../core/contract/index.ts";
import type { PackRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { notices } from "../kit/notices.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";

interface Found {
	/** Undefined if the pack has no configuration schema. */
	readonly schema: ParameterDefinitions | undefined;
	readonly values: JsonObject | undefined;
}

/**
 * Shows the configuration of a pack, as a form for users who may change it and otherwise as values. The form does not show secrets; leaving
 * a secret input empty keeps its value.
 */
export function PackConfig({ pack: { ref, content } }: { readonly pack: PackRecord }) {
	const resource = useResource(() => read(ref), [ref, content]);
	const save = async ({ values = {} }: Found, changed: JsonObject, emptied: readonly string[]) => {
		const kept = Object.entries(values).filter(([name]) => !emptied.includes(name));
		await client.configs.set(ref, { ...Object.fromEntries(kept), ...changed });
		notices.say(texts.configurationSaved);
		await resource.reload();
	};
	return (
		<Loaded resource={resource}>
			{(found) => {
				const { schema = {}, values } = found;
				if (Object.keys(schema).length > 0 && session.may("pack_config"))
					return (
						<section class="card" aria-label={common.configuration}>
							<SchemaForm
								key={stringifyJson(found)}
								schema={schema}
								initial={values}
								canEmpty
								action={common.save}
								onSubmit={(changed, emptied) => save(found, changed, emptied)}
							/>
						</section>
					);
				if (values === undefined) return <p class="faint">{found.schema === undefined ? texts.noConfiguration : texts.defaultsApply}</p>;
				return (
					<section class="card" aria-label={common.configuration}>
						<JsonTree value={values} />
					</section>
				);
			}}
		</Loaded>
	);
}

async function read(ref: string): Promise<Found> {
	const [schema, config] = await Promise.all([orNone(client.configs.schema(ref)), orNone(client.configs.get(ref))]);
	return { schema: schema?.attributes, values: config?.values };
}

async function orNone<T>(reading: Promise<T>): Promise<T | undefined> {
	try {
		return await reading;
	} catch (error) {
		if (isSvcError(error, "SVC_NOT_FOUND")) return undefined;
		throw error;
	}
}
