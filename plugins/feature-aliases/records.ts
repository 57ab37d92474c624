import type { Resource, WireRecord } from "../../core/feature.ts";
import type { AliasMatch } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";

export function toAlias(alias: ActionAliasEntity): WireRecord {
	const { id, ref, name, pack, description, enabled, action_ref, formats, ack, result, extra, immutable_parameters } = alias;
	return {
		...{ id, uid: toAliasResource(alias).uid, ref, name, pack, description, enabled, action_ref },
		...{ formats, ack, result, extra, immutable_parameters, metadata_file: alias.metadata_file ?? "", author: alias.author },
	};
}

export function toMatch({ display, representation }: AliasMatch, alias: ActionAliasEntity): WireRecord {
	return { actionalias: toAlias(alias), display, representation };
}

export function toAliasResource({ pack, name }: Pick<ActionAliasEntity, "pack" | "name">): Resource {
	return { uid: `action_alias:${pack}:${name}`, pack };
}
