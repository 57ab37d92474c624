import { Empty } from "../parts/empty.tsx";

/** What there is to do where nothing has run. */
export function NothingYet() {
	return (
		<Empty title="Nothing has run yet">
			<p>Run an action, from a shell for instance:</p>
			<p>
				<code>svc run core.local cmd="uptime"</code>
			</p>
		</Empty>
	);
}
