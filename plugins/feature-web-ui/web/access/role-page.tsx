import { SvcError } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines, type RoleRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/access.ts";

type Grant = RoleRecord["permission_grant_objects"][number];

const columns: readonly Column<Grant>[] = [
	{
		title: texts.resource,
		class: "mono",
		cell: ({ resource_uid: uid }) => (uid === null ? texts.noSingleRecord : escapeControlCharacters(uid)),
	},
	{ title: texts.permissions, class: "wide-lines mono", cell: ({ permission_types }) => permission_types.join(", ") },
];

/** Shows one role and the permissions that it grants. */
export function Page({ values: { name = "" } }: PageProps) {
	const role = useResource(
		async (signal) => {
			const { items } = await client.roles.list({}, { signal });
			const found = items.find((each) => each.name === name);
			if (found === undefined) throw new SvcError("SVC_NOT_FOUND", texts.noRole(name));
			return found;
		},
		[name],
	);
	return (
		<Loaded resource={role} title={name}>
			{({ description, system, permission_grant_objects: grants }) => (
				<>
					<div class="page-head">
						<h1>{escapeControlCharacters(name)}</h1>
					</div>
					{description !== "" && <p>{escapeControlCharactersInLines(description)}</p>}
					<dl class="facts">
						<Fact name={texts.definedBy}>{system ? texts.byService : texts.byConfiguration}</Fact>
						<Fact name={texts.assignedTo}>
							<a href={toHref("/access/assignments", { role: name })}>{texts.usersWithRole}</a>
						</Fact>
					</dl>
					{system && <p>{texts.builtIn}</p>}
					{!system && grants.length === 0 && <Empty title={texts.noGrants} step={texts.noGrantsStep} />}
					{grants.length > 0 && <DataTable label={texts.grants} columns={columns} rows={grants} toKey={({ id }) => id} />}
				</>
			)}
		</Loaded>
	);
}
