/** The page of one held call is at this path and its id; the query `t` has the signature of the link. */
export const approvalPagePath = '/approve/';
