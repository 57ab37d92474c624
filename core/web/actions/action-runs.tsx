import { toHref } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RunTable, runAttributes } from "../runs/run-table.tsx";

const most = 10;

/** The latest runs of an action, for who may see runs. */
export function ActionRuns({ action }: { readonly action: string }) {
	return session.may("execution_list") ? <Runs action={action} /> : null;
}

function Runs({ action }: { readonly action: string }) {
	const query = { action, sort_desc: "timestamp", limit: most, include_attributes: runAttributes };
	const runs = useResource((signal) => client.executions.list(query, { signal }), [action], {
		isTouched: ({ name }) => name.startsWith("svc.execution__"),
	});
	return (
		<section aria-label="Recent runs">
			<Loaded resource={runs}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title="It has not run yet" />
					) : (
						<>
							<RunTable runs={items} label="Recent runs" />
							<p>
								<a href={toHref("/history", { action })}>All runs of it</a>
							</p>
						</>
					)
				}
			</Loaded>
		</section>
	);
}
