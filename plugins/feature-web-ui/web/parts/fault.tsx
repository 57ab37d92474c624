import * as common from "../texts/common.ts";

/** Shows the error message of the service, with a button to retry if `onRetry` is given. */
export function Fault({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
	return (
		<div class="fault" role="alert">
			<span>{error.message}</span>
			{onRetry !== undefined && (
				<button type="button" onClick={onRetry}>
					{common.tryAgain}
				</button>
			)}
		</div>
	);
}
