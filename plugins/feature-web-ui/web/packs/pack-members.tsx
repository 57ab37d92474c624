import { escapeControlCharacters, type ListPage, type ListQuery, type PackRecord } from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/packs.ts";

interface Held {
	readonly ref: string;
	readonly description?: string;
}

interface Kind {
	readonly title: string;
	readonly permission: string;
	/** Feature that the service must have, besides those that every service has. Default: none. */
	readonly feature?: string;
	/** Path of the page of a single record. */
	readonly page?: string;
	list(query: ListQuery): Promise<ListPage<Held>>;
}

/** Maximum number of records of a kind that are listed. */
const maxListed = 100;

const kinds: readonly Kind[] = [
	{ title: texts.members.actions, permission: "action_list", page: "/actions/:ref", list: (query) => client.actions.list(query) },
	{ title: texts.members.rules, permission: "rule_list", page: "/rules/:ref", list: (query) => client.rules.list(query) },
	{ title: texts.members.sensors, permission: "sensor_type_list", page: "/events/sensors", list: (query) => client.sensors.list(query) },
	{
		title: texts.members.triggerTypes,
		permission: "trigger_type_list",
		page: "/events/triggers/:ref",
		list: (query) => client.triggers.types.list(query),
	},
	{
		title: texts.members.aliases,
		permission: "action_alias_list",
		feature: "aliases",
		page: "/aliases/:ref",
		list: (query) => client.aliases.list(query),
	},
	{ title: texts.members.policies, permission: "policy_list", page: "/policies/:ref", list: (query) => client.policies.list(query) },
];

/** Lists the actions, rules and other records of a pack that the user may list. */
export function PackMembers({ pack: { ref, content } }: { readonly pack: PackRecord }) {
	const held = useResource(() => readHeld(ref), [ref, content]);
	return (
		<Loaded resource={held}>
			{(found) => (
				<>
					{found.every(({ page }) => page.items.length === 0) && <p class="faint">{texts.noMembers}</p>}
					{found.map(
						({ kind, page: { items, total = items.length } }) =>
							items.length > 0 && <HeldKind key={kind.title} kind={kind} items={items} total={total} />,
					)}
				</>
			)}
		</Loaded>
	);
}

async function readHeld(pack: string) {
	const limit = session.toLimit(maxListed);
	const offered = kinds.filter(({ permission, feature }) => session.may(permission) && session.has(feature));
	return Promise.all(
		offered.map(async (kind) => ({ kind, page: await kind.list({ pack, include_attributes: "id,ref,description", limit }) })),
	);
}

interface HeldKindProps {
	readonly kind: Kind;
	readonly items: readonly Held[];
	readonly total: number;
}

function HeldKind({ kind: { title, page }, items, total }: HeldKindProps) {
	return (
		<section class="card">
			<h2>
				{title} <span class="faint">{total}</span>
			</h2>
			<ul class="held">
				{items.map(({ ref, description = "" }) => (
					<li key={ref}>
						{page === undefined ? escapeControlCharacters(ref) : <a href={toHref(toPath(page, { ref }))}>{escapeControlCharacters(ref)}</a>}{" "}
						<span class="faint">{escapeControlCharacters(description)}</span>
					</li>
				))}
			</ul>
			{total > items.length && <p class="faint">{texts.moreMembers(total - items.length)}</p>}
		</section>
	);
}
